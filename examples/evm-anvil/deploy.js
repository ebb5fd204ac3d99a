// Deploys Board.sol on a running anvil, and prints its address.
import { testSigners } from 'price-feed-mock/verify'
import { deployBoard } from './chain.js'

const [, , url = 'http://127.0.0.1:8545'] = process.argv
const { address } = await deployBoard(url, testSigners()[0].address)
console.log(address)
