// Package pricefeed polls a signed price feed, decodes its prices exactly and recovers their signers, with the standard library alone.
package pricefeed

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Price is a price in units of 10^Expo, an int64. A big.Int keeps every digit of a reply, and rejects 1.5, 5.0 and 5e1.
type Price struct {
	FeedID string   `json:"feedId"`
	Price  *big.Int `json:"price"`
	Expo   int32    `json:"expo"`
	Ts     int64    `json:"ts"`
}

// Batch is the reply of /prices/batch: many prices under one signature.
type Batch struct {
	Prices     []Price `json:"prices"`
	Signature  string  `json:"signature"`
	RecoveryID *int    `json:"recoveryId"`
}

// Reasons to reject a reply.
var (
	ErrMalformed   = errors.New("the signature is malformed")
	ErrHighS       = errors.New("high s")
	ErrNoKey       = errors.New("no key made the signature")
	ErrWrongSigner = errors.New("wrong signer")
	ErrOutOfRange  = errors.New("a price is no int64")
	ErrMissing     = errors.New("a feed is missing")
	ErrNotPositive = errors.New("a price is not positive")
	ErrFuture      = errors.New("a price is from the future")
	ErrStale       = errors.New("a price is stale")
	ErrOlder       = errors.New("a price is older than the last one")
)

// Feed is one service, and the checks of a consumer.
type Feed struct {
	BaseURL, APIKey, Signer string
	MaxAge, MaxFuture       int64
	last                    map[string]int64
}

// client retries nothing by itself, except that net/http repeats a GET whose reused connection was reset.
var client = &http.Client{Timeout: 10 * time.Second}

// Poll asks for prices and returns them by feed after all checks. now is in seconds since the epoch.
func (feed *Feed) Poll(ids []string, now int64) (map[string]Price, error) {
	address := feed.BaseURL + "/prices/batch?feedIds=" + url.QueryEscape(strings.Join(ids, ","))
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", feed.APIKey)
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	var batch Batch
	if err := json.NewDecoder(response.Body).Decode(&batch); err != nil {
		return nil, err
	}
	return feed.Check(batch, ids, now)
}

// Check verifies a batch.
func (feed *Feed) Check(batch Batch, ids []string, now int64) (map[string]Price, error) {
	var message []byte
	found := map[string]Price{}
	for _, price := range batch.Prices {
		if price.Price == nil {
			return nil, ErrMissing
		}
		// The 64 signed bits cannot tell such a price from another one.
		if !price.Price.IsInt64() {
			return nil, fmt.Errorf("%s: %w", price.FeedID, ErrOutOfRange)
		}
		message = append(message, SvmMessage(price)...)
		found[price.FeedID] = price
	}
	if batch.RecoveryID == nil {
		return nil, ErrMalformed
	}
	signer, err := Recover(Keccak256(message), batch.Signature, *batch.RecoveryID)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(signer, feed.Signer) {
		return nil, ErrWrongSigner
	}
	prices := map[string]Price{}
	for _, id := range ids {
		price, ok := found[id]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", id, ErrMissing)
		case price.Price.Sign() <= 0:
			return nil, fmt.Errorf("%s: %w", id, ErrNotPositive)
		case price.Ts > now+feed.MaxFuture:
			return nil, fmt.Errorf("%s: %w", id, ErrFuture)
		case price.Ts < now-feed.MaxAge:
			return nil, fmt.Errorf("%s: %w", id, ErrStale)
		case price.Ts < feed.last[id]:
			return nil, fmt.Errorf("%s: %w", id, ErrOlder)
		}
		prices[id] = price
	}
	if feed.last == nil {
		feed.last = map[string]int64{}
	}
	for id, price := range prices {
		feed.last[id] = price.Ts
	}
	return prices, nil
}

// Rat is the exact value of a price.
func (price Price) Rat() *big.Rat {
	value := new(big.Rat).SetInt(price.Price)
	power := func(exponent int32) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil))
	}
	if price.Expo < 0 {
		return value.Quo(value, power(-price.Expo))
	}
	return value.Mul(value, power(price.Expo))
}

// SvmMessage is the 49 signed bytes of the SVM form.
func SvmMessage(price Price) []byte {
	message := make([]byte, 49)
	copy(message, price.FeedID)
	binary.LittleEndian.PutUint64(message[32:], wrap(price.Price, 64).Uint64())
	message[40] = byte(price.Expo)
	binary.LittleEndian.PutUint64(message[41:], uint64(price.Ts))
	return message
}

// EvmMessage is the 64 signed bytes of the EVM form, an assumption of the mock.
func EvmMessage(price Price) []byte {
	message := make([]byte, 64)
	copy(message[32-len(price.FeedID):], price.FeedID)
	wrap(price.Price, 192).FillBytes(message[32:56])
	binary.BigEndian.PutUint32(message[56:], uint32(price.Ts))
	binary.BigEndian.PutUint32(message[60:], uint32(price.Expo))
	return message
}

// wrap is the two's complement of an integer.
func wrap(value *big.Int, size uint) *big.Int {
	return new(big.Int).Mod(value, new(big.Int).Lsh(big.NewInt(1), size))
}

// secp256k1: the field, the order of the group and its generator (SEC 2, 2.4.1).
var (
	field     = fromHex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f")
	order     = fromHex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	half      = new(big.Int).Rsh(order, 1)
	generator = &point{
		fromHex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
		fromHex("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
	}
)

func fromHex(digits string) *big.Int {
	value, _ := new(big.Int).SetString(digits, 16)
	return value
}

// point is a point of the curve; nil is the point at infinity.
type point struct{ x, y *big.Int }

// Recover returns the address that signed a digest. signature is r and s in hex without 0x, recoveryID 0 or 1.
func Recover(digest []byte, signature string, recoveryID int) (string, error) {
	rs, err := hex.DecodeString(signature)
	if err != nil || len(rs) != 64 || recoveryID < 0 || recoveryID > 1 {
		return "", ErrMalformed
	}
	r, s := new(big.Int).SetBytes(rs[:32]), new(big.Int).SetBytes(rs[32:])
	if r.Sign() == 0 || s.Sign() == 0 || r.Cmp(order) >= 0 || s.Cmp(order) >= 0 {
		return "", ErrNoKey
	}
	if s.Cmp(half) > 0 {
		return "", ErrHighS
	}
	square := new(big.Int).Exp(r, big.NewInt(3), field)
	y := new(big.Int).ModSqrt(square.Add(square, big.NewInt(7)), field)
	if y == nil {
		return "", ErrNoKey
	}
	if int(y.Bit(0)) != recoveryID {
		y.Sub(field, y)
	}
	inverse := new(big.Int).ModInverse(r, order)
	z := new(big.Int).SetBytes(digest)
	a := new(big.Int).Mul(s, inverse)
	b := z.Mul(z.Neg(z), inverse)
	key := add(multiply(&point{r, y}, a.Mod(a, order)), multiply(generator, b.Mod(b, order)))
	if key == nil {
		return "", ErrNoKey
	}
	public := make([]byte, 64)
	key.x.FillBytes(public[:32])
	key.y.FillBytes(public[32:])
	return "0x" + hex.EncodeToString(Keccak256(public)[12:]), nil
}

func add(a, b *point) *point {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var rise, run *big.Int
	if a.x.Cmp(b.x) == 0 {
		if a.y.Cmp(b.y) != 0 {
			return nil
		}
		rise = new(big.Int).Mul(big.NewInt(3), new(big.Int).Mul(a.x, a.x))
		run = new(big.Int).Lsh(a.y, 1)
	} else {
		rise = new(big.Int).Sub(b.y, a.y)
		run = new(big.Int).Sub(b.x, a.x)
	}
	slope := rise.Mul(rise, run.ModInverse(run.Mod(run, field), field))
	x := new(big.Int).Mul(slope, slope)
	x.Sub(x, a.x).Sub(x, b.x).Mod(x, field)
	y := new(big.Int).Sub(a.x, x)
	y.Mul(y, slope).Sub(y, a.y).Mod(y, field)
	return &point{x, y}
}

func multiply(base *point, factor *big.Int) *point {
	var result *point
	for i := factor.BitLen() - 1; i >= 0; i-- {
		result = double(result)
		if factor.Bit(i) == 1 {
			result = add(result, base)
		}
	}
	return result
}

func double(a *point) *point {
	if a == nil {
		return nil
	}
	return add(a, a)
}

// Keccak256 is the hash of Ethereum and Solana. SHA3-256 pads differently.
func Keccak256(message []byte) []byte {
	const rate = 136
	padded := append(append([]byte{}, message...), 1)
	padded = append(padded, make([]byte, (rate-len(padded)%rate)%rate)...)
	padded[len(padded)-1] |= 0x80
	var lanes [25]uint64
	for start := 0; start < len(padded); start += rate {
		for i := 0; i < rate/8; i++ {
			lanes[i] ^= binary.LittleEndian.Uint64(padded[start+8*i:])
		}
		permute(&lanes)
	}
	hash := make([]byte, 32)
	for i := 0; i < 4; i++ {
		binary.LittleEndian.PutUint64(hash[8*i:], lanes[i])
	}
	return hash
}

// permute is Keccak-f[1600] of FIPS 202; lane x, y is a[x+5*y].
func permute(a *[25]uint64) {
	constant := uint16(1)
	for round := 0; round < 24; round++ {
		var columns [5]uint64
		for i, lane := range a {
			columns[i%5] ^= lane
		}
		for i := range a {
			a[i] ^= columns[(i+4)%5] ^ bits.RotateLeft64(columns[(i+1)%5], 1)
		}
		x, y, moved := 1, 0, a[1]
		for t := 0; t < 24; t++ {
			x, y = y, (2*x+3*y)%5
			a[x+5*y], moved = bits.RotateLeft64(moved, (t+1)*(t+2)/2), a[x+5*y]
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64{a[y], a[y+1], a[y+2], a[y+3], a[y+4]}
			for x := range row {
				a[y+x] = row[x] ^ (^row[(x+1)%5] & row[(x+2)%5])
			}
		}
		for j := 0; j < 7; j++ {
			if constant&1 == 1 {
				a[0] ^= 1 << (1<<j - 1)
			}
			if constant <<= 1; constant&0x100 != 0 {
				constant ^= 0x171
			}
		}
	}
}
