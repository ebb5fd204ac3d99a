// A Solana program that stores a price of a signed batch after all checks that a consumer needs.
//
// Instruction data: recovery id (1 byte), signature (64), the signed message (49 bytes for each price).
// Account 0: the state, writable and owned by this program. The program trusts its first 53 bytes; set them by your own means.
typedef unsigned char u8;
typedef unsigned long long u64;
typedef long long i64;
typedef struct { const u8 *address; u64 length; } slice;

extern u64 sol_keccak256(const slice *parts, u64 count, u8 *hash);
extern u64 sol_secp256k1_recover(const u8 *hash, u64 recovery_id, const u8 *signature, u8 *public_key);
extern u64 sol_get_clock_sysvar(u8 *clock);

enum { MESSAGE = 49, MAX_AGE = 60, MAX_FUTURE = 5 };
/* The state: the trusted signer, the expected feed and expo, and the last accepted price. */
enum { SIGNER = 0, FEED = 20, EXPO = 52, PRICE = 53, TS = 61, STATE = 69 };
/* Errors, as Custom(n). */
enum {
  INVALID_ACCOUNT = 1, INVALID_LENGTH, WRONG_SIGNER, NOT_RECOVERED, HIGH_S, SIGNER_UNSET,
  MISSING_FEED, WRONG_EXPO, NOT_POSITIVE, STALE, FUTURE, OLDER,
};

#define INLINE static inline __attribute__((always_inline))

INLINE u64 little_endian(const u8 *at) {
  u64 value = 0;
  for (int i = 7; i >= 0; i--) value = value << 8 | at[i];
  return value;
}

INLINE u64 big_endian(const u8 *at) {
  u64 value = 0;
  for (int i = 0; i < 8; i++) value = value << 8 | at[i];
  return value;
}

INLINE void write_little_endian(u8 *at, u64 value) {
  for (int i = 0; i < 8; i++) at[i] = (u8)(value >> 8 * i);
}

INLINE int equal(const u8 *a, const u8 *b, int length) {
  int difference = 0;
  for (int i = 0; i < length; i++) difference |= a[i] ^ b[i];
  return difference == 0;
}

/* Whether s is above half of the order of the curve: the second signature of the same message. */
INLINE int is_high(const u8 *s) {
  u64 word = big_endian(s);
  if (word != 0x7fffffffffffffffULL) return word > 0x7fffffffffffffffULL;
  word = big_endian(s + 8);
  if (word != 0xffffffffffffffffULL) return 0;
  word = big_endian(s + 16);
  if (word != 0x5d576e7357a4501dULL) return word > 0x5d576e7357a4501dULL;
  return big_endian(s + 24) > 0xdfe92f46681b20a0ULL;
}

u64 entrypoint(u8 *input) {
  /* One account: flags (8), key (32), owner (32), lamports (8), length (8), data, room to grow (10240), rent epoch (8). */
  if (*(u64 *)input != 1 || input[8] != 0xff) return INVALID_ACCOUNT;
  u8 *owner = input + 48;
  u64 size = *(u64 *)(input + 88);
  u8 *state = input + 96;
  u8 *after = state + ((size + 10240 + 7) & ~7ULL) + 8;
  u64 length = *(u64 *)after;
  const u8 *data = after + 8;
  const u8 *program = data + length;
  if (size != STATE || !input[10] || !equal(owner, program, 32)) return INVALID_ACCOUNT;

  if (length < 65 + MESSAGE || (length - 65) % MESSAGE != 0) return INVALID_LENGTH;
  const u8 *signature = data + 1, *message = data + 65;

  u8 hash[32], public_key[64];
  slice part = {message, length - 65};
  sol_keccak256(&part, 1, hash);
  if (is_high(signature + 32)) return HIGH_S;
  if (sol_secp256k1_recover(hash, data[0], signature, public_key) != 0) return NOT_RECOVERED;
  part.address = public_key;
  part.length = 64;
  sol_keccak256(&part, 1, hash);
  int set = 0;
  for (int i = 0; i < 20; i++) set |= state[SIGNER + i];
  if (!set) return SIGNER_UNSET;
  if (!equal(hash + 12, state + SIGNER, 20)) return WRONG_SIGNER;

  /* By id, not by position: an answer can lack a feed. Of several prices of the feed the newest: the last can be older. */
  const u8 *found = 0;
  for (u64 at = 0; at < length - 65; at += MESSAGE)
    if (equal(message + at, state + FEED, 32) && (!found || little_endian(message + at + 41) > little_endian(found + 41)))
      found = message + at;
  if (!found) return MISSING_FEED;
  i64 price = (i64)little_endian(found + 32);
  if (found[40] != state[EXPO]) return WRONG_EXPO;
  if (price <= 0) return NOT_POSITIVE;

  u8 clock[40];
  sol_get_clock_sysvar(clock);
  i64 now = (i64)little_endian(clock + 32), ts = (i64)little_endian(found + 41);
  if (ts > now + MAX_FUTURE) return FUTURE;
  if (ts < now - MAX_AGE) return STALE;
  if (ts < (i64)little_endian(state + TS)) return OLDER;
  write_little_endian(state + PRICE, (u64)price);
  write_little_endian(state + TS, (u64)ts);
  return 0;
}
