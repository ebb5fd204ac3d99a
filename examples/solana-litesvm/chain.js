// A Solana chain in process, with the consumer of program/ deployed.
import { readFileSync } from 'node:fs'
import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { SECP256K1_PROGRAM, toBytes32, toInstructionData } from 'price-feed-mock/chain'

const STATE_BYTES = 69

/** The errors of program/consumer.c, by number. */
const ERRORS = [
  ['InvalidAccount', 'InvalidLength', 'WrongSigner', 'NotRecovered', 'HighS', 'SignerUnset'],
  ['MissingFeed', 'WrongExpo', 'NotPositive', 'Stale', 'Future', 'Older'],
].flat()

/** Starts a chain whose consumer trusts `signer` for the prices of one feed. */
export async function createChain({ signer, feedId, expo = -8 }) {
  const svm = new LiteSVM()
  const payer = await generateKeyPairSigner()
  const [program, state] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()])
  svm.airdrop(payer.address, lamports(10n ** 10n))
  svm.addProgram(program.address, readFileSync(new URL('program/consumer.so', import.meta.url)))
  // Signer, feed and expo of the state; the last price and its time are zero.
  const data = Buffer.alloc(STATE_BYTES)
  data.write(signer.slice(2), 0, 'hex')
  data.write(toBytes32(feedId, 'right').slice(2), 20, 'hex')
  data.writeInt8(expo, 52)
  svm.setAccount({
    address: state.address,
    data,
    executable: false,
    lamports: lamports(10n ** 9n),
    programAddress: program.address,
    space: BigInt(STATE_BYTES),
  })

  /** Sends instructions in one transaction. Returns "ok", or the error of the chain. */
  async function send(...instructions) {
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      draft => setTransactionMessageFeePayerSigner(payer, draft),
      draft => svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
      draft => appendTransactionMessageInstructions(instructions, draft),
    )
    const result = svm.sendTransaction(await signTransactionMessageWithSigners(message))
    // The same transaction twice would be a duplicate.
    svm.expireBlockhash()
    if (!(result instanceof FailedTransactionMetadata)) return 'ok'
    const code = /custom program error: (0x\w+)/.exec(result.meta().logs().join('\n'))?.[1]
    return { error: result.err(), code: code === undefined ? undefined : Number(code) }
  }

  return {
    svm,
    /** Sends a reply to the consumer. Returns "ok", or the name of its error. */
    async consume(reply) {
      const result = await send({
        programAddress: program.address,
        accounts: [{ address: state.address, role: 1 }],
        data: toConsumerData(reply),
      })
      return result === 'ok' ? result : ERRORS[result.code - 1]
    },
    /** Lets the precompile check a reply. Returns "ok", or its error. */
    async precompile(reply, address = signer) {
      const data = toInstructionData(reply, { signer: address })
      const result = await send({ programAddress: SECP256K1_PROGRAM, accounts: [], data })
      return result === 'ok' ? result : String(result.error)
    },
    /** The last accepted price. */
    stored() {
      const { data } = svm.getAccount(state.address)
      const view = new DataView(data.buffer, data.byteOffset)
      return { price: view.getBigInt64(53, true), ts: Number(view.getBigInt64(61, true)) }
    },
  }
}

/** Recovery id, signature and message: the data that program/consumer.c reads. */
function toConsumerData({ prices, signature, recoveryId }) {
  const messages = prices.map(({ feedId, price, expo, ts }) => {
    const message = Buffer.alloc(49)
    message.write(feedId, 'ascii')
    // Throws beyond int64, whose bytes would be those of another price.
    message.writeBigInt64LE(BigInt(price), 32)
    message.writeInt8(expo, 40)
    message.writeBigUInt64LE(BigInt(ts), 41)
    return message
  })
  return Buffer.concat([Buffer.from([recoveryId]), Buffer.from(signature, 'hex'), ...messages])
}
