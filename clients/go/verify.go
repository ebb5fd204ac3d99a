// Package pricefeed reads signed prices exactly and verifies them: docs/format.md and docs/signatures.md in Go.
package pricefeed

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// Price is a price in units of 10^Expo, and its time in seconds since the epoch.
type Price struct {
	FeedID string
	Price  int64
	Expo   int32
	Ts     int64
}

// Rat is the exact value.
func (price Price) Rat() *big.Rat {
	value, ok := new(big.Rat).SetString(fmt.Sprintf("%de%d", price.Price, price.Expo))
	if !ok {
		panic("expo is beyond the range of big.Rat")
	}
	return value
}

// Checks of a response. Signatures, signers and int64 are always checked. Times are in seconds since the epoch.
type Checks struct {
	// Signers are the only addresses to accept, with 0x.
	Signers []string
	// Feeds are the requested ones: each must be in the response, and no other. Nil is not checked.
	Feeds []string
	// Now is compared with MaxAge, unless that is 0, and MaxFuture, the seconds by which a price may be ahead. If all are 0,
	// neither is checked.
	Now, MaxAge, MaxFuture int64
	// Expo is the exponent of every price. 0 is not checked.
	Expo int32
	// AllowHighS accepts the second signature of the same bytes, AllowNotPositive prices of 0 and below.
	AllowHighS, AllowNotPositive bool
}

// Verdict on one price.
type Verdict struct {
	FeedID string
	// Price is nil where a field is malformed or beyond its range.
	Price *Price
	// Signer is the address of the key that signed, trusted or not; empty where none can be recovered.
	Signer string
	// Reasons are those of checkResponse in JavaScript, and empty for a good price.
	Reasons []string
}

// RejectedError has the verdicts on a response of which at least one price must not be used.
type RejectedError struct{ Verdicts []Verdict }

func (rejected *RejectedError) Error() string {
	var bad []string
	for _, verdict := range rejected.Verdicts {
		if len(verdict.Reasons) > 0 {
			bad = append(bad, fmt.Sprintf("%s: %s", verdict.FeedID, strings.Join(verdict.Reasons, ", ")))
		}
	}
	if bad == nil {
		return "the body is no batch, history, evm or latest response"
	}
	return strings.Join(bad, "; ")
}

var address = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)

// Verify returns the prices of a response in the order of the body, or a *RejectedError with all reasons. Those of a history are in
// the order of their keys, the high before the low. A signer that is no address is another error, and so are a MaxAge or MaxFuture
// without Now, for which Check rejects all prices, and a Now in milliseconds.
func Verify(body []byte, checks Checks) ([]Price, error) {
	for _, signer := range checks.Signers {
		if !address.MatchString(signer) {
			return nil, fmt.Errorf("signers: got %q, want an address with 0x and 40 hex digits", signer)
		}
	}
	if checks.Now == 0 && (checks.MaxAge != 0 || checks.MaxFuture != 0) {
		return nil, errors.New("MaxAge and MaxFuture need Now")
	}
	// With milliseconds no price would be ahead of it.
	if checks.Now > 100_000_000_000 {
		return nil, fmt.Errorf("got %d as Now, want seconds since the epoch", checks.Now)
	}
	verdicts := Check(body, checks)
	var prices []Price
	for _, verdict := range verdicts {
		if len(verdict.Reasons) == 0 {
			prices = append(prices, *verdict.Price)
		}
	}
	if len(prices) == 0 || len(prices) < len(verdicts) {
		return nil, &RejectedError{verdicts}
	}
	return prices, nil
}

// Check returns the verdict on each price of a response, and on each missing feed. Any other body, also one
// that has the form of two endpoints, has no prices: no verdict does not mean that it is good.
func Check(body []byte, checks Checks) []Verdict {
	trusted, wanted, found := set(checks.Signers), set(checks.Feeds), map[string]bool{}
	var verdicts []Verdict
	for _, block := range readBlocks(body) {
		shared, signer := inspect(block, checks.AllowHighS)
		if signer != "" && !trusted[strings.ToUpper(signer)] {
			shared = append(shared, "wrong-signer")
		}
		for _, item := range block.items {
			verdict := Verdict{FeedID: item.FeedID, Signer: signer}
			if item.isWhole && item.fits {
				price := item.Price
				verdict.Price = &price
			}
			verdict.reject(!item.isWhole || block.isHistory && !feedID.MatchString(block.key), "malformed")
			verdict.reject(block.isHistory && feedID.MatchString(block.key) && item.isWhole && !strings.EqualFold(block.key, item.FeedID), "wrong-feed")
			for _, reason := range shared {
				verdict.reject(true, reason)
			}
			if item.isWhole {
				verdict.rejectBy(item.Price, checks, wanted)
			}
			found[strings.ToUpper(item.FeedID)] = true
			verdicts = append(verdicts, verdict)
		}
	}
	for _, id := range checks.Feeds {
		if !found[strings.ToUpper(id)] {
			verdicts = append(verdicts, Verdict{FeedID: id, Reasons: []string{"missing-feed"}})
		}
	}
	return verdicts
}

// rejectBy makes the checks of a price that can be read.
func (verdict *Verdict) rejectBy(price Price, checks Checks, wanted map[string]bool) {
	age := checks.Now - price.Ts
	verdict.reject(checks.Feeds != nil && !wanted[strings.ToUpper(price.FeedID)], "wrong-feed")
	verdict.reject(price.Price < 0 && !checks.AllowNotPositive, "negative-price")
	verdict.reject(price.Price == 0 && !checks.AllowNotPositive, "zero-price")
	verdict.reject(checks.Expo != 0 && price.Expo != checks.Expo, "wrong-expo")
	verdict.reject(checks.MaxAge != 0 && (checks.Now == 0 || age > checks.MaxAge), "stale")
	verdict.reject((checks.Now != 0 || checks.MaxFuture != 0) && -age > checks.MaxFuture, "future")
}

// reject adds a reason once.
func (verdict *Verdict) reject(isBad bool, reason string) {
	if !isBad {
		return
	}
	for _, known := range verdict.Reasons {
		if known == reason {
			return
		}
	}
	verdict.Reasons = append(verdict.Reasons, reason)
}

func set(texts []string) map[string]bool {
	found := map[string]bool{}
	for _, text := range texts {
		found[strings.ToUpper(text)] = true
	}
	return found
}

// inspect returns the defects of a signature, and the address that made it.
func inspect(block block, allowHighS bool) (reasons []string, signer string) {
	if !block.hasSignature {
		return []string{"malformed"}, ""
	}
	size, wrongID := 64, "wrong-recovery-id"
	if block.isEvm {
		size, wrongID = 65, "wrong-v"
	}
	digits := strings.TrimPrefix(block.signature, "0x")
	if digits != block.signature {
		reasons = append(reasons, "0x-prefix")
	}
	var compact []byte
	bytes, err := hex.DecodeString(digits)
	// A digit too few is a matter of length.
	if _, isBad := err.(hex.InvalidByteError); isBad {
		reasons = append(reasons, "malformed")
	} else if len(digits) != 2*size {
		reasons = append(reasons, "wrong-length")
	} else {
		r, s := new(big.Int).SetBytes(bytes[:32]), new(big.Int).SetBytes(bytes[32:64])
		isZero := r.Sign() == 0 || s.Sign() == 0
		if isZero {
			reasons = append(reasons, "zero")
		}
		if s.Cmp(halfOrder) > 0 && !allowHighS {
			reasons = append(reasons, "high-s")
		}
		id := block.recoveryID
		if block.isEvm {
			id = int64(bytes[64]) - 27
		}
		if id != 0 && id != 1 {
			reasons = append(reasons, wrongID)
		} else {
			if block.hasRecoveryID && id != block.recoveryID {
				reasons = append(reasons, "wrong-recovery-id")
			}
			if !isZero {
				compact = append([]byte{byte(27 + id)}, bytes[:64]...)
			}
		}
	}
	var message []byte
	for _, item := range block.items {
		switch {
		// One signature covers all prices: without one of them, no key can be recovered.
		case !item.isWhole:
			reasons, compact = append(reasons, "malformed"), nil
		case !item.fits:
			reasons, compact = append(reasons, "out-of-range"), nil
		case block.isEvm:
			message = append(message, EvmMessage(item.Price)...)
		default:
			message = append(message, SvmMessage(item.Price)...)
		}
	}
	if compact == nil {
		return reasons, ""
	}
	key, _, err := ecdsa.RecoverCompact(compact, Keccak256(message))
	if err != nil {
		return append(reasons, "unrecoverable"), ""
	}
	return reasons, Address(key.SerializeUncompressed())
}

// halfOrder is half of the order of secp256k1 (SEC 2, 2.4.1).
var halfOrder, _ = new(big.Int).SetString("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", 16)

// SvmMessage is the 49 signed bytes of a price of batch, history and latest.
func SvmMessage(price Price) []byte {
	message := make([]byte, 49)
	copy(message, price.FeedID)
	binary.LittleEndian.PutUint64(message[32:], uint64(price.Price))
	message[40] = byte(price.Expo)
	binary.LittleEndian.PutUint64(message[41:], uint64(price.Ts))
	return message
}

// EvmMessage is the 64 signed bytes of a price of evm, an assumption of the mock.
func EvmMessage(price Price) []byte {
	message := make([]byte, 64)
	copy(message[32-len(price.FeedID):], price.FeedID)
	if price.Price < 0 {
		copy(message[32:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	}
	binary.BigEndian.PutUint64(message[48:], uint64(price.Price))
	binary.BigEndian.PutUint32(message[56:], uint32(price.Ts))
	binary.BigEndian.PutUint32(message[60:], uint32(price.Expo))
	return message
}

// Keccak256 is the hash of Ethereum and Solana. SHA3-256 pads differently.
func Keccak256(data []byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(data)
	return hash.Sum(nil)
}

// Address is that of an uncompressed public key of 65 bytes, in lower case.
func Address(key []byte) string {
	return "0x" + hex.EncodeToString(Keccak256(key[1:])[12:])
}
