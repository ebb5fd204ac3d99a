// From a signature to the key that made it. It reads the signature as strictly as a careful contract would.
import { hexToBytes, bytesToHex } from '@noble/hashes/utils.js'
import * as secp from '@noble/secp256k1'
import { PriceFeedMockError, show } from '../errors.js'
import type { Layout } from '../settings/layouts.js'
