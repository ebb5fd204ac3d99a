// Checks the vectors of fixtures/ with Go's standard library alone: go run check.go FORMAT SIGNING PUBLISHED.
// It has its own keccak256, secp256k1 on math/big and RFC 6979 on crypto/hmac, and exits with 1 at the first difference.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/bits"
	"os"
	"regexp"
	"strings"
)

func number(digits string) *big.Int {
	value, ok := new(big.Int).SetString(digits, 16)
	if !ok {
		panic(digits)
	}
	return value
}

var (
	p    = number("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f")
	n    = number("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	half = new(big.Int).Rsh(n, 1)
	g    = &point{
		number("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"),
		number("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"),
	}
	one = big.NewInt(1)
)

// keccak256 pads with 0x01 as Ethereum does, not with 0x06 as SHA-3.
func keccak256(data []byte) []byte {
	const rate = 136
	padded := append(append([]byte{}, data...), 1)
	for len(padded)%rate != 0 {
		padded = append(padded, 0)
	}
	padded[len(padded)-1] |= 0x80
	var a [5][5]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := 0; i < rate/8; i++ {
			a[i%5][i/5] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		permute(&a)
	}
	digest := make([]byte, 32)
	for i := 0; i < 4; i++ {
		binary.LittleEndian.PutUint64(digest[8*i:], a[i%5][i/5])
	}
	return digest
}

func permute(a *[5][5]uint64) {
	lfsr := 1
	for round := 0; round < 24; round++ {
		var parity [5]uint64
		for x := range parity {
			parity[x] = a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4]
		}
		for x := range a {
			mixed := parity[(x+4)%5] ^ bits.RotateLeft64(parity[(x+1)%5], 1)
			for y := range a[x] {
				a[x][y] ^= mixed
			}
		}
		x, y, current := 1, 0, a[1][0]
		for step := 0; step < 24; step++ {
			x, y = y, (2*x+3*y)%5
			current, a[x][y] = a[x][y], bits.RotateLeft64(current, (step+1)*(step+2)/2)
		}
		for y := 0; y < 5; y++ {
			row := [5]uint64{a[0][y], a[1][y], a[2][y], a[3][y], a[4][y]}
			for x := range row {
				a[x][y] = row[x] ^ (^row[(x+1)%5] & row[(x+2)%5])
			}
		}
		for j := 0; j < 7; j++ {
			lfsr = ((lfsr << 1) ^ ((lfsr >> 7) * 0x71)) % 256
			if lfsr&2 != 0 {
				a[0][0] ^= 1 << ((1 << j) - 1)
			}
		}
	}
}

type point struct{ x, y *big.Int }

func mod(value, by *big.Int) *big.Int { return new(big.Int).Mod(value, by) }
func mul(a, b *big.Int) *big.Int      { return new(big.Int).Mul(a, b) }
func sub(a, b *big.Int) *big.Int      { return new(big.Int).Sub(a, b) }
func inverse(a, by *big.Int) *big.Int { return new(big.Int).ModInverse(mod(a, by), by) }

func add(a, b *point) *point {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var slope *big.Int
	if a.x.Cmp(b.x) == 0 {
		if mod(new(big.Int).Add(a.y, b.y), p).Sign() == 0 {
			return nil
		}
		slope = mul(mul(big.NewInt(3), mul(a.x, a.x)), inverse(mul(big.NewInt(2), a.y), p))
	} else {
		slope = mul(sub(b.y, a.y), inverse(sub(b.x, a.x), p))
	}
	x := mod(sub(sub(mul(slope, slope), a.x), b.x), p)
	return &point{x, mod(sub(mul(slope, sub(a.x, x)), a.y), p)}
}

func multiply(base *point, factor *big.Int) *point {
	var result *point
	for i := factor.BitLen() - 1; i >= 0; i-- {
		result = add(result, result)
		if factor.Bit(i) == 1 {
			result = add(result, base)
		}
	}
	return result
}

func address(key *point) string {
	return "0x" + hex.EncodeToString(keccak256(append(bytes32(key.x), bytes32(key.y)...))[12:])
}

func bytes32(value *big.Int) []byte { return value.FillBytes(make([]byte, 32)) }

func recoverKey(digest []byte, r, s *big.Int, bit int64) *point {
	if r.Cmp(n) >= 0 || s.Cmp(n) >= 0 {
		return nil
	}
	square := mod(new(big.Int).Add(new(big.Int).Exp(r, big.NewInt(3), p), big.NewInt(7)), p)
	y := new(big.Int).ModSqrt(square, p)
	if y == nil {
		return nil
	}
	if int64(y.Bit(0)) != bit {
		y = sub(p, y)
	}
	inv := inverse(r, n)
	e := new(big.Int).SetBytes(digest)
	return add(multiply(&point{r, y}, mod(mul(s, inv), n)), multiply(g, mod(mul(new(big.Int).Neg(e), inv), n)))
}

// sign follows RFC 6979 with SHA-256 and takes the low s.
func sign(digest []byte, key *big.Int) (rs []byte, bit byte) {
	mac := func(key []byte, parts ...[]byte) []byte {
		h := hmac.New(sha256.New, key)
		for _, part := range parts {
			h.Write(part)
		}
		return h.Sum(nil)
	}
	e := new(big.Int).SetBytes(digest)
	secret, reduced := bytes32(key), bytes32(mod(e, n))
	v, k := bytes.Repeat([]byte{1}, 32), make([]byte, 32)
	for _, tag := range []byte{0, 1} {
		k = mac(k, v, []byte{tag}, secret, reduced)
		v = mac(k, v)
	}
	for {
		v = mac(k, v)
		nonce := new(big.Int).SetBytes(v)
		if nonce.Sign() > 0 && nonce.Cmp(n) < 0 {
			at := multiply(g, nonce)
			r := mod(at.x, n)
			s := mod(mul(inverse(nonce, n), new(big.Int).Add(e, mul(r, key))), n)
			bit = byte(at.y.Bit(0))
			if s.Cmp(half) > 0 {
				s, bit = sub(n, s), 1-bit
			}
			return append(bytes32(r), bytes32(s)...), bit
		}
		k = mac(k, v, []byte{0})
		v = mac(k, v)
	}
}

func testKey(index int) *big.Int {
	return new(big.Int).SetBytes(keccak256([]byte(fmt.Sprintf("price-feed-mock test key %d", index))))
}

// price has raw fields: any of them can be missing or of another type.
type price struct {
	FeedID     string          `json:"feedId"`
	Price      json.RawMessage `json:"price"`
	Expo       json.RawMessage `json:"expo"`
	TS         json.RawMessage `json:"ts"`
	Signature  *string         `json:"signature"`
	RecoveryID int64           `json:"recoveryId"`
}

var integer = regexp.MustCompile(`^-?\d+$`)

func (one price) values() (value, expo, ts *big.Int, ok bool) {
	found := make([]*big.Int, 3)
	for i, raw := range []json.RawMessage{one.Price, one.Expo, one.TS} {
		if !integer.Match(raw) {
			return nil, nil, nil, false
		}
		found[i], _ = new(big.Int).SetString(string(raw), 10)
	}
	return found[0], found[1], found[2], true
}

func twos(value *big.Int, size int) []byte {
	modulus := new(big.Int).Lsh(one, uint(8*size))
	return mod(value, modulus).FillBytes(make([]byte, size))
}

func reversed(data []byte) []byte {
	out := make([]byte, len(data))
	for i, b := range data {
		out[len(data)-1-i] = b
	}
	return out
}

func encode(form string, prices []price) []byte {
	var message []byte
	for _, one := range prices {
		value, expo, ts, _ := one.values()
		id := make([]byte, 32)
		if form == "svm" {
			copy(id, one.FeedID)
			message = append(message, id...)
			message = append(message, reversed(twos(value, 8))...)
			message = append(message, twos(expo, 1)...)
			message = append(message, reversed(twos(ts, 8))...)
		} else {
			copy(id[32-len(one.FeedID):], one.FeedID)
			message = append(message, id...)
			message = append(message, twos(value, 24)...)
			message = append(message, twos(ts, 4)...)
			message = append(message, twos(expo, 4)...)
		}
	}
	return message
}

func signatureReason(prices []price, form string, signature *string, bit int64, signer string) string {
	if signature == nil {
		return "malformed"
	}
	digits := *signature
	size := map[string]int{"svm": 128, "evm": 130}[form]
	switch {
	case strings.HasPrefix(digits, "0x"):
		return "0x-prefix"
	case !regexp.MustCompile(`^[0-9a-fA-F]*$`).MatchString(digits):
		return "malformed"
	case len(digits) != size:
		return "wrong-length"
	}
	r, s := number(digits[:64]), number(digits[64:128])
	if r.Sign() == 0 || s.Sign() == 0 {
		return "zero"
	}
	if s.Cmp(half) > 0 {
		return "high-s"
	}
	wrong := "wrong-recovery-id"
	if form == "evm" {
		bit, wrong = number(digits[128:]).Int64()-27, "wrong-v"
	}
	if bit != 0 && bit != 1 {
		return wrong
	}
	key := recoverKey(keccak256(encode(form, prices)), r, s, bit)
	if key == nil {
		return "unrecoverable"
	}
	if address(key) != signer {
		return "wrong-signer"
	}
	return ""
}

func verdict(prices []price, form string, signature *string, bit int64, signer string) [][]string {
	reasons := make([][]string, len(prices))
	whole := true
	for _, one := range prices {
		_, _, _, ok := one.values()
		whole = whole && ok
	}
	reason := "malformed"
	if whole {
		reason = signatureReason(prices, form, signature, bit, signer)
	}
	for i, one := range prices {
		reasons[i] = []string{}
		if reason != "" {
			reasons[i] = append(reasons[i], reason)
		}
		if !whole {
			continue
		}
		switch value, _, _, _ := one.values(); value.Sign() {
		case 0:
			reasons[i] = append(reasons[i], "zero-price")
		case -1:
			reasons[i] = append(reasons[i], "negative-price")
		}
	}
	return reasons
}

func verdicts(body, signer string) [][]string {
	var reply struct {
		price
		Prices []price `json:"prices"`
	}
	check(json.Unmarshal([]byte(body), &reply))
	one := reply.price
	switch {
	case reply.Prices != nil && one.Signature != nil:
		return verdict(reply.Prices, "svm", one.Signature, one.RecoveryID, signer)
	case reply.Prices != nil:
		var all [][]string
		for _, each := range reply.Prices {
			all = append(all, verdict([]price{each}, "evm", each.Signature, 0, signer)...)
		}
		return all
	case one.FeedID != "":
		return verdict([]price{one}, "svm", one.Signature, one.RecoveryID, signer)
	}
	var history map[string]struct{ High, Low price }
	check(json.Unmarshal([]byte(body), &history))
	var all [][]string
	for id, pair := range history {
		for _, each := range []price{pair.High, pair.Low} {
			found := verdict([]price{each}, "svm", each.Signature, each.RecoveryID, signer)[0]
			if !strings.EqualFold(each.FeedID, id) {
				found = append([]string{"wrong-feed"}, found...)
			}
			all = append(all, found)
		}
	}
	return all
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func expect(got, want interface{}, title string) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		fail(fmt.Sprintf("%s\n  got   %v\n  want  %v", title, got, want))
	}
}

func load(path string, into interface{}) {
	data, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(data, into))
}

// vector is one of the chain vectors, whose prices are texts, or of the signing vectors.
type vector struct {
	Title, Layout, PublicKey, Address, Message, Digest, Signature, InstructionData, Calldata string
	Key, RecoveryID                                                                          int
	Prices                                                                                   []price
}

// numbers turns prices that are texts into numbers.
func numbers(prices []price) []price {
	for i := range prices {
		prices[i].Price = json.RawMessage(strings.Trim(string(prices[i].Price), `"`))
	}
	return prices
}

// checkVector checks a message, its digest and its signature, and returns them.
func checkVector(form string, key int, one vector) (message, rs []byte, bit byte) {
	message = encode(form, one.Prices)
	rs, bit = sign(keccak256(message), testKey(key))
	signature := hex.EncodeToString(rs)
	if form == "evm" {
		signature += fmt.Sprintf("%02x", 27+bit)
	}
	expect(hex.EncodeToString(message), one.Message, one.Title)
	expect(hex.EncodeToString(keccak256(message)), one.Digest, one.Title)
	expect(signature, one.Signature, one.Title)
	expect(bit, one.RecoveryID, one.Title)
	return message, rs, bit
}

func main() {
	var format struct {
		Signer, CalldataFunction string
		Replies                  []struct {
			Title, Body string
			Reasons     [][]string
		}
		Svm, Evm []vector
	}
	load(os.Args[1], &format)
	for _, one := range format.Replies {
		expect(verdicts(one.Body, format.Signer), one.Reasons, one.Title)
	}
	for _, one := range format.Svm {
		one.Prices = numbers(one.Prices)
		message, rs, bit := checkVector("svm", 0, one)
		signer, err := hex.DecodeString(format.Signer[2:])
		check(err)
		data := []byte{1, 32, 0, 0, 12, 0, 0, 97, 0, byte(len(message)), byte(len(message) >> 8), 0}
		data = append(append(append(append(data, signer...), rs...), bit), message...)
		expect(hex.EncodeToString(data), one.InstructionData, one.Title)
	}
	for _, one := range format.Evm {
		one.Prices = numbers(one.Prices)
		message, rs, bit := checkVector("evm", 0, one)
		value, expo, ts, _ := one.Prices[0].values()
		data := append(keccak256([]byte(format.CalldataFunction))[:4], message[:32]...)
		clipped := new(big.Int).SetBytes(twos(value, 24))
		for _, word := range []*big.Int{clipped, ts, expo, big.NewInt(160), big.NewInt(65)} {
			data = append(data, twos(word, 32)...)
		}
		data = append(append(append(data, rs...), 27+bit), make([]byte, 31)...)
		expect(hex.EncodeToString(data), one.Calldata, one.Title)
	}
	var signing struct{ Vectors []vector }
	load(os.Args[2], &signing)
	for _, one := range signing.Vectors {
		checkVector(one.Layout, one.Key, one)
		key := multiply(g, testKey(one.Key))
		expect(fmt.Sprintf("%02x%x", 2+key.y.Bit(0), bytes32(key.x)), one.PublicKey, one.Title)
		expect(address(key), one.Address, one.Title)
	}
	var published struct {
		Signer  struct{ Address string }
		Samples []price
	}
	load(os.Args[3], &published)
	for _, one := range published.Samples {
		expect(verdict([]price{one}, "svm", one.Signature, one.RecoveryID, published.Signer.Address), "[[]]", one.FeedID)
	}
	count := len(format.Replies) + len(format.Svm) + len(format.Evm) + len(signing.Vectors) + len(published.Samples)
	fmt.Printf("%d vectors, all as expected\n", count)
}
