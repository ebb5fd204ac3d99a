package pricefeed

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"sort"
	"strconv"
)

// block is a signature, and the prices that it covers.
type block struct {
	isEvm        bool
	items        []item
	signature    string
	hasSignature bool
	// recoveryID is -1 where there is none, or no integer.
	recoveryID    int64
	hasRecoveryID bool
	// key is that of a history, which no signature covers.
	key       string
	isHistory bool
}

// item is a price as far as it can be read.
type item struct {
	Price
	// isWhole tells whether every field is there, fits whether each has room in the signed bytes.
	isWhole, fits bool
}

// object is a JSON object. The names of a struct would match in any case.
type object map[string]json.RawMessage

func readObject(text []byte) (found object) {
	_ = json.Unmarshal(text, &found)
	return found
}

func readBlocks(body []byte) []block {
	reply := readObject(body)
	history := readHistory(reply)
	var prices []json.RawMessage
	isList := json.Unmarshal(reply["prices"], &prices) == nil && len(prices) > 0
	_, isLatest := readText(reply["feedId"])
	switch {
	case history != nil && (isList || isLatest), isList && reply["price"] != nil:
		// A body of two forms is none: one of them would be checked, and the caller might read the other.
		return nil
	case history != nil:
		return history
	case isList && reply["signature"] == nil:
		blocks := make([]block, len(prices))
		for i, price := range prices {
			blocks[i] = readBlock(true, price, price)
		}
		return blocks
	case isList:
		return []block{readBlock(false, body, prices...)}
	case isLatest:
		return []block{readBlock(false, body, body)}
	}
	return nil
}

// readHistory reads the high and the low of each key, in the order of the keys. Nil if no key has one.
func readHistory(reply object) (blocks []block) {
	if !isHistory(reply) {
		return nil
	}
	ids := make([]string, 0, len(reply))
	for id := range reply {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		values := readObject(reply[id])
		for _, name := range []string{"high", "low"} {
			one := readBlock(false, values[name], values[name])
			one.key, one.isHistory = id, true
			blocks = append(blocks, one)
		}
	}
	return blocks
}

func isHistory(reply object) bool {
	for _, pair := range reply {
		values := readObject(pair)
		if readObject(values["high"]) != nil || readObject(values["low"]) != nil {
			return true
		}
	}
	return false
}

func readBlock(isEvm bool, signed json.RawMessage, prices ...json.RawMessage) block {
	object := readObject(signed)
	found := block{isEvm: isEvm, recoveryID: -1}
	found.signature, found.hasSignature = readText(object["signature"])
	_, found.hasRecoveryID = object["recoveryId"]
	if id, err := strconv.ParseInt(string(object["recoveryId"]), 10, 64); err == nil {
		found.recoveryID = id
	}
	for _, price := range prices {
		found.items = append(found.items, readItem(readObject(price), isEvm))
	}
	return found
}

var integer = regexp.MustCompile(`^-?\d+$`)

// feedID is visible ASCII. Other ids would have the same bytes as another one.
var feedID = regexp.MustCompile(`^[!-~]{1,32}$`)

func readItem(object object, isEvm bool) (found item) {
	id, isText := readText(object["feedId"])
	found.isWhole, found.fits = isText && feedID.MatchString(id), true
	if found.isWhole {
		found.FeedID = id
	}
	read := func(name string, least, most int64) int64 {
		digits := object[name]
		found.isWhole = found.isWhole && integer.Match(digits)
		value, err := strconv.ParseInt(string(digits), 10, 64)
		found.fits = found.fits && !errors.Is(err, strconv.ErrRange) && value >= least && value <= most
		return value
	}
	maxTs, maxExpo := int64(math.MaxInt64), int64(math.MaxInt8)
	if isEvm {
		maxTs, maxExpo = math.MaxUint32, math.MaxInt32
	}
	found.Price.Price = read("price", math.MinInt64, math.MaxInt64)
	expo := read("expo", -maxExpo-1, maxExpo)
	found.Ts = read("ts", math.MinInt64, maxTs)
	// An exponent and a time are exact in every language.
	found.isWhole = found.isWhole && expo > -1<<53 && expo < 1<<53 && found.Ts >= 0 && found.Ts < 1<<53
	found.Expo = int32(expo)
	// One that is cut off would be another exponent, maybe the expected one.
	if int64(found.Expo) != expo {
		found.Expo = math.MaxInt32
	}
	return found
}

func readText(raw json.RawMessage) (text string, isText bool) {
	isText = bytes.HasPrefix(raw, []byte(`"`)) && json.Unmarshal(raw, &text) == nil
	return text, isText
}
