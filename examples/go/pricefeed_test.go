package pricefeed

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

type vector struct {
	Title, Layout, Address, Message, Digest, Signature string
	RecoveryID                                         int `json:"recoveryId"`
	Prices                                             []Price
}

func load(t *testing.T, name string, into any) {
	folder := os.Getenv("VECTORS")
	if folder == "" {
		folder = "node_modules/price-feed-mock/fixtures"
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func readVectors(t *testing.T) []vector {
	var file struct{ Vectors []vector }
	load(t, "signing-vectors.json", &file)
	if len(file.Vectors) < 50 {
		t.Fatalf("only %d vectors", len(file.Vectors))
	}
	return file.Vectors
}

func TestEveryMessageDigestAndSigner(t *testing.T) {
	messages := map[string]func(Price) []byte{"svm": SvmMessage, "evm": EvmMessage}
	for _, vector := range readVectors(t) {
		var message []byte
		for _, price := range vector.Prices {
			message = append(message, messages[vector.Layout](price)...)
		}
		if hex.EncodeToString(message) != vector.Message {
			t.Errorf("%s, %s: another message", vector.Title, vector.Layout)
		}
		digest := Keccak256(message)
		if hex.EncodeToString(digest) != vector.Digest {
			t.Errorf("%s, %s: another digest", vector.Title, vector.Layout)
		}
		signer, err := Recover(digest, vector.Signature[:128], vector.RecoveryID)
		if err != nil || signer != vector.Address {
			t.Errorf("%s, %s: signer %s, %v", vector.Title, vector.Layout, signer, err)
		}
	}
}

// good returns a batch of the vectors, its feeds, and a consumer that accepts it.
func good(t *testing.T) (Batch, []string, *Feed, int64) {
	for _, vector := range readVectors(t) {
		if vector.Layout == "svm" && len(vector.Prices) == 3 {
			ids := []string{}
			for _, price := range vector.Prices {
				ids = append(ids, price.FeedID)
			}
			id := vector.RecoveryID
			feed := &Feed{Signer: vector.Address, MaxAge: 60, MaxFuture: 5}
			return Batch{vector.Prices, vector.Signature, &id}, ids, feed, vector.Prices[0].Ts
		}
	}
	t.Fatal("no batch in the vectors")
	return Batch{}, nil, nil, 0
}

func TestChecks(t *testing.T) {
	batch, ids, feed, now := good(t)
	if _, err := feed.Check(batch, ids, now); err != nil {
		t.Fatal(err)
	}
	s, _ := new(big.Int).SetString(batch.Signature[64:], 16)
	high := hex.EncodeToString(new(big.Int).Sub(order, s).FillBytes(make([]byte, 32)))
	other, v := 1-*batch.RecoveryID, 27
	reversed := []Price{batch.Prices[2], batch.Prices[1], batch.Prices[0]}
	cases := []struct {
		name  string
		batch Batch
		ids   []string
		now   int64
		want  error
	}{
		{"high s", Batch{batch.Prices, batch.Signature[:64] + high, &other}, ids, now, ErrHighS},
		{"0x", Batch{batch.Prices, "0x" + batch.Signature, batch.RecoveryID}, ids, now, ErrMalformed},
		{"truncated", Batch{batch.Prices, batch.Signature[:64], batch.RecoveryID}, ids, now, ErrMalformed},
		{"zero", Batch{batch.Prices, strings.Repeat("0", 128), batch.RecoveryID}, ids, now, ErrNoKey},
		{"v", Batch{batch.Prices, batch.Signature, &v}, ids, now, ErrMalformed},
		{"reordered", Batch{reversed, batch.Signature, batch.RecoveryID}, ids, now, ErrWrongSigner},
		{"missing", batch, []string{"NOPE"}, now, ErrMissing},
		{"stale", batch, ids, now + 300, ErrStale},
		{"future", batch, ids, now - 300, ErrFuture},
	}
	for _, each := range cases {
		if _, err := feed.Check(each.batch, each.ids, each.now); !errors.Is(err, each.want) {
			t.Errorf("%s: got %v, want %v", each.name, err, each.want)
		}
	}
	feed.last[ids[0]] = now + 1
	if _, err := feed.Check(batch, ids, now); !errors.Is(err, ErrOlder) {
		t.Errorf("older: %v", err)
	}
}

func TestLimitsOfInt64(t *testing.T) {
	var file struct {
		Signer string
		Limits []struct{ Title, Price, Batch, Consumers string }
	}
	load(t, "format-vectors.json", &file)
	want := map[string]error{"accepted": nil, "not positive": ErrNotPositive, "out of range": ErrOutOfRange}
	for _, limit := range file.Limits {
		var batch Batch
		if err := json.Unmarshal([]byte(limit.Batch), &batch); err != nil {
			t.Fatal(err)
		}
		feed := &Feed{Signer: file.Signer}
		prices, err := feed.Check(batch, []string{"ETHUSD"}, batch.Prices[0].Ts)
		if !errors.Is(err, want[limit.Consumers]) {
			t.Errorf("%s: got %v, want %s", limit.Title, err, limit.Consumers)
		}
		if err == nil && prices["ETHUSD"].Price.String() != limit.Price {
			t.Errorf("%s: got %v", limit.Title, prices["ETHUSD"].Price)
		}
	}
	if len(file.Limits) < 7 {
		t.Errorf("only %d limits", len(file.Limits))
	}
}

func TestPlainDigits(t *testing.T) {
	for _, text := range []string{"1.5", "11008588000000.0", "1.1e13"} {
		var price Price
		if err := json.Unmarshal([]byte(`{"price":`+text+`}`), &price); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestExactDigits(t *testing.T) {
	var price Price
	if err := json.Unmarshal([]byte(`{"price":9007199254740993,"expo":-8}`), &price); err != nil {
		t.Fatal(err)
	}
	if got := price.Rat().FloatString(8); got != "90071992.54740993" {
		t.Error(got)
	}
}

func TestPoll(t *testing.T) {
	base := os.Getenv("PRICE_FEED_BASE_URL")
	if base == "" {
		t.Skip("no mock is running: price-feed-mock exec sets PRICE_FEED_BASE_URL")
	}
	now, err := strconv.ParseInt(os.Getenv("NOW"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	feed := &Feed{BaseURL: base, APIKey: os.Getenv("PRICE_FEED_API_KEY"), Signer: os.Getenv("PRICE_FEED_SIGNER"), MaxAge: 60, MaxFuture: 5}
	for i := 0; i < 3; i++ {
		prices, err := feed.Poll([]string{"BTCUSD", "ETHUSD"}, now)
		if err != nil {
			t.Fatal(err)
		}
		if prices["BTCUSD"].Rat().Cmp(prices["ETHUSD"].Rat()) <= 0 {
			t.Error("BTC is below ETH")
		}
	}
}
