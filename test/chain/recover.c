/* A program that only recovers the signer: without the checks of a consumer, to see what the chain itself accepts.
 * Data: recovery id (1 byte), signature (64), address to compare with (20), message. Built as program/ of examples/solana-litesvm. */
typedef unsigned char u8;
typedef unsigned long long u64;
typedef struct { const u8 *address; u64 length; } slice;

extern u64 sol_keccak256(const slice *parts, u64 count, u8 *hash);
extern u64 sol_secp256k1_recover(const u8 *hash, u64 recovery_id, const u8 *signature, u8 *public_key);

enum { INVALID_LENGTH = 1, WRONG_SIGNER, NOT_RECOVERED };

u64 entrypoint(const u8 *input) {
  u64 length = *(const u64 *)(input + 8);
  const u8 *data = input + 16;
  if (*(const u64 *)input != 0 || length < 85 + 49 || (length - 85) % 49 != 0) return INVALID_LENGTH;
  u8 hash[32], public_key[64];
  slice part = {data + 85, length - 85};
  sol_keccak256(&part, 1, hash);
  if (sol_secp256k1_recover(hash, data[0], data + 1, public_key) != 0) return NOT_RECOVERED;
  part.address = public_key;
  part.length = 64;
  sol_keccak256(&part, 1, hash);
  int difference = 0;
  for (int i = 0; i < 20; i++) difference |= hash[12 + i] ^ data[65 + i];
  return difference == 0 ? 0 : WRONG_SIGNER;
}
