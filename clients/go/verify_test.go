package pricefeed

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func load(t *testing.T, name string, into any) {
	t.Helper()
	folder := os.Getenv("VECTORS")
	if folder == "" {
		folder = "../../fixtures"
	}
	text, err := os.ReadFile(filepath.Join(folder, name+".json"))
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

type vector struct {
	Title, Layout, Address, Message, Digest, Signature string
	Key, RecoveryID                                    int
	Prices                                             []struct {
		FeedID string
		Price  json.RawMessage
		Expo   int32
		Ts     int64
	}
}

type formats struct {
	Signer  string
	Replies []struct {
		Title, Body string
		Reasons     [][]string
	}
	Limits []struct {
		Title, Batch, Evm string
		Reasons           []string
	}
	Svm, Evm []vector
}

func reasons(body string, checks Checks) [][]string {
	found := [][]string{}
	for _, verdict := range Check([]byte(body), checks) {
		found = append(found, append([]string{}, verdict.Reasons...))
	}
	return found
}

func expect(t *testing.T, title string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\n  got   %v\n  want  %v", title, got, want)
	}
}

func TestReplies(t *testing.T) {
	var vectors formats
	load(t, "format-vectors", &vectors)
	checks := Checks{Signers: []string{vectors.Signer}}
	for _, reply := range vectors.Replies {
		expect(t, reply.Title, reasons(reply.Body, checks), reply.Reasons)
	}
	for _, limit := range vectors.Limits {
		expect(t, limit.Title, reasons(limit.Batch, checks), [][]string{limit.Reasons})
		expect(t, limit.Title, reasons(limit.Evm, checks), [][]string{limit.Reasons})
	}
	if len(vectors.Replies) < 30 || len(vectors.Limits) < 7 {
		t.Error("too few vectors")
	}
}

func TestSignatures(t *testing.T) {
	var vectors formats
	var signing struct{ Vectors []vector }
	load(t, "format-vectors", &vectors)
	load(t, "signing-vectors", &signing)
	for layout, more := range map[string][]vector{"svm": vectors.Svm, "evm": vectors.Evm} {
		for _, one := range more {
			one.Layout, one.Address = layout, vectors.Signer
			signing.Vectors = append(signing.Vectors, one)
		}
	}
	for _, one := range signing.Vectors {
		var message []byte
		for _, price := range one.Prices {
			// The bytes of an int64 are those of a u64. Larger ones are only in the vectors of 192 bits.
			digits := strings.Trim(string(price.Price), `"`)
			value, err := strconv.ParseInt(digits, 10, 64)
			if unsigned, overflow := strconv.ParseUint(digits, 10, 64); err != nil && overflow == nil && one.Layout == "svm" {
				value, err = int64(unsigned), nil
			}
			if err != nil {
				t.Logf("%s: %v", one.Title, err)
				message = nil
				break
			}
			encode := map[string]func(Price) []byte{"svm": SvmMessage, "evm": EvmMessage}[one.Layout]
			message = append(message, encode(Price{price.FeedID, value, price.Expo, price.Ts})...)
		}
		if message == nil {
			continue
		}
		digest := Keccak256(message)
		key := secp256k1.PrivKeyFromBytes(Keccak256([]byte(fmt.Sprintf("price-feed-mock test key %d", one.Key))))
		// RFC 6979 with a low s: the same bytes in every language.
		signature := ecdsa.SignCompact(key, digest, false)
		expect(t, one.Title, hex.EncodeToString(message), one.Message)
		expect(t, one.Title, hex.EncodeToString(digest), one.Digest)
		expect(t, one.Title, hex.EncodeToString(signature[1:]), one.Signature[:128])
		expect(t, one.Title, int(signature[0]-27), one.RecoveryID)
		expect(t, one.Title, Address(key.PubKey().SerializeUncompressed()), one.Address)
	}
}

func TestPublished(t *testing.T) {
	var published struct {
		Signer  struct{ Address string }
		Samples []json.RawMessage
	}
	load(t, "published-responses", &published)
	for _, sample := range published.Samples {
		prices, err := Verify(sample, Checks{Signers: []string{published.Signer.Address}, Expo: -8})
		if err != nil || len(prices) != 1 {
			t.Error(err, prices)
		}
	}
}

// Every reply of a tape is rejected for the reasons that checkResponse gives, for both forms and all faults.
func TestTape(t *testing.T) {
	file, err := os.Open(os.Getenv("TAPE"))
	if err != nil {
		t.Skip("TAPE names no tape: price-feed-mock tape --format ndjson")
	}
	defer file.Close()
	faults, signer := map[string]bool{}, ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var tick struct {
			Asked, Body, Signer string
			Status              int
			Faults, Reasons     []string
		}
		if err := json.Unmarshal(lines.Bytes(), &tick); err != nil {
			t.Fatal(err)
		}
		if signer == "" {
			signer = tick.Signer
		}
		var found Verdict
		for _, each := range Check([]byte(tick.Body), Checks{Signers: []string{signer}, Feeds: []string{tick.Asked}}) {
			for _, reason := range each.Reasons {
				found.reject(true, reason)
			}
		}
		if !json.Valid([]byte(tick.Body)) {
			found.Reasons = []string{"malformed"}
		}
		if tick.Status == 200 {
			expect(t, strings.Join(tick.Faults, " "), append([]string{}, found.Reasons...), tick.Reasons)
		}
		for _, fault := range tick.Faults {
			faults[fault] = true
		}
	}
	if len(faults) < 15 {
		t.Error("too few faults", faults)
	}
}

func TestChecks(t *testing.T) {
	var vectors formats
	load(t, "format-vectors", &vectors)
	body, now := vectors.Replies[0].Body, int64(1753354105)
	signers := []string{strings.Replace(strings.ToUpper(vectors.Signer), "X", "x", 1)}
	for reason, checks := range map[string]Checks{
		"":             {Feeds: []string{"btcusd"}, Expo: -8, Now: now, MaxAge: 60},
		"wrong-feed":   {Feeds: []string{}},
		"missing-feed": {Feeds: []string{"BTCUSD", "ETHUSD"}},
		"wrong-expo":   {Expo: -6},
		"stale":        {Now: now + 61, MaxAge: 60},
		"future":       {Now: now - 6, MaxFuture: 5},
	} {
		checks.Signers = signers
		_, err := Verify([]byte(body), checks)
		if reason == "" && err != nil || reason != "" && (err == nil || !strings.Contains(err.Error(), reason)) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	// Its lower 32 bits are those of -8.
	verdicts := Check([]byte(strings.Replace(body, `"expo":-8`, `"expo":4294967288`, 1)), Checks{Signers: signers, Expo: -8})
	expect(t, "expo 2^32-8", verdicts[0].Reasons, []string{"out-of-range", "wrong-expo"})
	for _, other := range []string{"{}", "[]", "null", "", `{"prices":[]}`, `{"error":"unknown_feed"}`, `{"BTCUSD":{"high":1}}`,
		// A caller could read the price that was not checked.
		`{"prices":[{}],"price":1}`, `{"prices":[{}],"A":{"high":{}}}`, `{"feedId":"A","A":{"high":{}}}`} {
		if _, err := Verify([]byte(other), Checks{}); err == nil || !strings.Contains(err.Error(), "no batch") {
			t.Error(other, err)
		}
	}
	for _, checks := range []Checks{{Signers: signers, MaxAge: 60}, {Signers: signers, MaxFuture: 5}} {
		if _, err := Verify([]byte(body), checks); err == nil || !strings.Contains(err.Error(), "need Now") {
			t.Error(checks, err)
		}
		if verdicts := Check([]byte(body), checks); len(verdicts[0].Reasons) != 1 {
			t.Error(checks, verdicts)
		}
	}
	inMs := Checks{Signers: signers, MaxFuture: 5, Now: 1_753_354_104_000}
	if _, err := Verify([]byte(body), inMs); err == nil || !strings.Contains(err.Error(), "want seconds") {
		t.Error(err)
	}
	for _, signer := range []string{"0x12", vectors.Signer[2:]} {
		if _, err := Verify([]byte(body), Checks{Signers: []string{signer}}); err == nil || !strings.Contains(err.Error(), "an address with 0x") {
			t.Error(signer, err)
		}
	}
}

func TestRat(t *testing.T) {
	if got := (Price{Price: 9007199254740993, Expo: -8}).Rat().FloatString(8); got != "90071992.54740993" {
		t.Error(got)
	}
}
