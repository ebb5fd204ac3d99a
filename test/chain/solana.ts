// The verifiers on Solana: the precompile, a program that only recovers, and the consumer of examples/solana-litesvm.
import { readFileSync } from 'node:fs'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionSize,
  type Instruction,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import { SECP256K1_PROGRAM, toBytes32, toInstructionData } from '../../src/chain/chain.js'
import type { Tick } from '../../src/signing/encode.js'

/** A batch reply, its prices exact. */
export type Batch = { readonly prices: readonly Tick[]; readonly signature: string; readonly recoveryId: number }

/** The errors of the precompile after its first, 0. */
const PRECOMPILE_ERRORS = ['InvalidRecoveryId', 'InvalidSignature', 'InvalidDataOffsets', 'InvalidInstructionDataSize']
/** The error names of a program, by its number from 1. */
const RECOVER_ERRORS = ['InvalidLength', 'WrongSigner', 'NotRecovered']
const CONSUMER_ERRORS = [
  'InvalidAccount',
  'InvalidLength',
  'WrongSigner',
  'NotRecovered',
  'HighS',
  'SignerUnset',
  'MissingFeed',
  'WrongExpo',
  'NotPositive',
  'Stale',
  'Future',
  'Older',
]

/** Starts a chain at a time. Each verifier returns "ok" or the exact error. */
export async function startSolana(now: number) {
  const svm = new LiteSVM()
  const payer = await generateKeyPairSigner()
  svm.airdrop(payer.address, lamports(10n ** 12n))
  const deploy = async (file: string): Promise<Address> => {
    const program = await generateKeyPairSigner()
    svm.addProgram(program.address, readFileSync(new URL(file, import.meta.url)))
    return program.address
  }
  const recover = await deploy('recover.so')
  const consumer = await deploy('../../examples/solana-litesvm/program/consumer.so')
  const clock = svm.getClock()
  clock.unixTimestamp = BigInt(now)
  svm.setClock(clock)

  const sign = (instruction: Instruction) =>
    signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        draft => setTransactionMessageFeePayerSigner(payer, draft),
        draft => svm.setTransactionMessageLifetimeUsingLatestBlockhash(draft),
        draft => appendTransactionMessageInstructions([instruction], draft),
      ),
    )

  /** Sends one instruction. A custom error has its name of `names`. */
  const send = async (instruction: Instruction, names: readonly string[]): Promise<string> => {
    const result = svm.sendTransaction(await sign(instruction))
    svm.expireBlockhash()
    if (!(result instanceof FailedTransactionMetadata)) return 'ok'
    const text = `${result.err()}\n${result.meta().logs().join('\n')}`
    const code = /custom program error: (0x\w+)|InstructionErrorCustom \{ code: (\d+) \}/
      .exec(text)
      ?.slice(1)
      .find(Boolean)
    if (code === undefined) throw new Error(text)
    return `Custom(${Number(code)}) ${names[Number(code) - 1]}`
  }

  return {
    svm,
    precompile: async (reply: Batch, signer: string) =>
      send(
        { programAddress: address(SECP256K1_PROGRAM), data: toInstructionData(reply, { signer }) },
        PRECOMPILE_ERRORS,
      ),
    /** The size of a transaction with this data. litesvm takes any size, a validator at most a packet. */
    packetBytes: async (data: Uint8Array): Promise<number> =>
      getTransactionSize(await sign({ programAddress: address(SECP256K1_PROGRAM), data })),
    program: (reply: Batch, signer: string) =>
      send({ programAddress: recover, data: toProgramData(reply, signer) }, RECOVER_ERRORS),
    /** A consumer for one feed, without a last price. */
    async createConsumer(signer: string, feedId: string): Promise<(reply: Batch) => Promise<string>> {
      const state = await generateKeyPairSigner()
      const data = Buffer.alloc(69)
      data.write(signer.slice(2) + toBytes32(feedId, 'right').slice(2), 'hex')
      data.writeInt8(-8, 52)
      svm.setAccount({
        address: state.address,
        data,
        executable: false,
        lamports: lamports(10n ** 9n),
        programAddress: consumer,
        space: 69n,
      })
      const accounts = [{ address: state.address, role: 1 }]
      return reply => send({ programAddress: consumer, accounts, data: toProgramData(reply) }, CONSUMER_ERRORS)
    },
  }
}

/** Recovery id, signature, an address for the program that only recovers, and the message; a faulty signature as it is. */
function toProgramData({ prices, signature, recoveryId }: Batch, signer?: string): Uint8Array {
  const messages = prices.map(({ feedId, price, expo, ts }) => {
    const message = Buffer.alloc(49)
    message.write(String(feedId), 'ascii')
    message.writeBigUInt64LE(BigInt.asUintN(64, BigInt(price)), 32)
    message.writeInt8(expo, 40)
    message.writeBigUInt64LE(BigInt(ts), 41)
    return message
  })
  const parts = [Buffer.of(recoveryId), Buffer.from(signature, 'hex'), Buffer.from((signer ?? '').slice(2), 'hex')]
  return Uint8Array.from(Buffer.concat([...parts, ...messages]))
}
