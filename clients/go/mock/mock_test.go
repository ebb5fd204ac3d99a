package mock

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	pricefeed "price-feed-mock/clients/go"
)

const at = 1753354105

func TestMain(m *testing.M) { os.Exit(Run(m, Options{})) }

func open(t *testing.T, more map[string]any) *Session {
	options := map[string]any{"clock": map[string]any{"at": at, "frozen": true}}
	for name, value := range more {
		options[name] = value
	}
	return Start(t, Options{Session: options})
}

func latest(t *testing.T, session *Session, checks pricefeed.Checks) (pricefeed.Price, error) {
	t.Helper()
	request, _ := http.NewRequest("GET", session.BaseURL+"/prices/BTCUSD/latest", nil)
	request.Header.Set("Authorization", session.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	checks.Signers = []string{session.Signer}
	prices, err := pricefeed.Verify(body, checks)
	if err != nil {
		return pricefeed.Price{}, err
	}
	return prices[0], nil
}

func TestSession(t *testing.T) {
	session := open(t, nil)
	session.Change(map[string]any{"clock": map[string]any{"advance": "2m"}})
	if now := session.Time(); now != at+120 {
		t.Error(now)
	}
	session.Change(map[string]any{"prices": map[string]any{"BTCUSD": 50000}})
	price, err := latest(t, session, pricefeed.Checks{Now: at + 120, MaxAge: 60})
	if err != nil || price.Rat().FloatString(2) != "50000.00" {
		t.Error(price, err)
	}
	session.Change(map[string]any{"scenario": "stale-btc"})
	if _, err = latest(t, session, pricefeed.Checks{Now: at + 120, MaxAge: 60}); err == nil || err.Error() != "BTCUSD: stale" {
		t.Error(err)
	}
	session.ExpectFaultsFired()
	if text := session.Timeline(); !strings.Contains(text, "stale") {
		t.Error(text)
	}
}

func TestRequests(t *testing.T) {
	session := open(t, map[string]any{"scenario": "wrong-signer"})
	ask := func(path string) {
		request, _ := http.NewRequest("GET", session.BaseURL+path, nil)
		request.Header.Set("Authorization", session.APIKey)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return
		}
		response.Body.Close()
	}
	ask("/prices/batch?feedIds=BTCUSD")
	ask("/prices/NOPE/latest")
	time.AfterFunc(50*time.Millisecond, func() { ask("/prices/BTCUSD/latest") })
	found := session.WaitForRequests(2, Filter{Endpoint: "latest"})
	if len(found) != 2 || found[1].N != 3 || found[1].Target != "/prices/BTCUSD/latest" || found[1].Got != "forged" || found[1].Faults[0] != "signature/wrong-signer" || found[1].Now != at {
		t.Error(found)
	}
	if found = session.Requests(Filter{Endpoint: "latest", Status: 404}); len(found) != 1 || found[0].N != 2 {
		t.Error(found)
	}
	if found = session.Requests(Filter{}); len(found) != 3 {
		t.Error(found)
	}
	// More than a page has bytes for.
	for i := 0; i < 420; i++ {
		ask("/prices/batch?feedIds=" + strings.Repeat("x", 1990))
	}
	if found = session.Requests(Filter{}); len(found) != 423 || found[422].N != 423 {
		t.Error(len(found))
	}
}

func TestRequestsElsewhere(t *testing.T) {
	session := open(t, map[string]any{"scenario": "stale-btc"})
	response, err := http.Get(root(session.BaseURL) + "/prices/BTCUSD/latest")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	inner := &recorder{TB: t}
	session.t = inner
	session.ExpectFaultsFired()
	func() {
		defer func() { _ = recover() }()
		session.waitFor(1, Filter{Endpoint: "latest", Status: 200}, 0)
	}()
	session.t = t
	note := "1 request went to the session default meanwhile, the newest GET /prices/BTCUSD/latest with status 401\nuse BaseURL and APIKey of the session in the code under test"
	want := []string{
		"never fired: market/stale, BTCUSD (no endpoint that it acts on was asked)",
		note,
		"0 requests in 0s, want at least 1, endpoint latest, status 200\n" + note,
	}
	if !reflect.DeepEqual(inner.errors, want) {
		t.Errorf("%q", inner.errors)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	session := open(t, map[string]any{"scenario": "wrong-signer"})
	if _, err := latest(t, session, pricefeed.Checks{}); err == nil || !strings.Contains(err.Error(), "wrong-signer") {
		t.Error(err)
	}
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	errors []string
}

func (recorder *recorder) Errorf(format string, values ...any) {
	recorder.errors = append(recorder.errors, fmt.Sprintf(format, values...))
}

func (recorder *recorder) Error(values ...any) {
	recorder.errors = append(recorder.errors, fmt.Sprint(values...))
}

// Fatalf ends by a panic, which the test recovers from.
func (recorder *recorder) Fatalf(format string, values ...any) {
	recorder.Errorf(format, values...)
	panic(recorder)
}

func TestExpectFaultsFired(t *testing.T) {
	inner := &recorder{TB: t}
	session := open(t, map[string]any{"scenario": "stale-btc"})
	session.t = inner
	session.ExpectFaultsFired()
	if _, err := http.Get(session.BaseURL + "/prices/ETHUSD/latest"); err != nil {
		t.Fatal(err)
	}
	session.ExpectFaultsFired()
	session.t = t
	want := []string{
		"never fired: market/stale, BTCUSD (no endpoint that it acts on was asked)",
		"never fired: market/stale, BTCUSD (1 missed, last: another feed)",
	}
	if !reflect.DeepEqual(inner.errors, want) {
		t.Error(inner.errors)
	}
}

func TestLaunch(t *testing.T) {
	if _, _, err := launch(Options{Command: []string{"sh", "-c", "echo broken >&2; exit 1"}}); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	if _, _, err := launch(Options{Command: []string{"no-such-program"}}); err == nil || !strings.Contains(err.Error(), "PRICE_FEED_BASE_URL") {
		t.Error(err)
	}
	// As of a container, whose own address is another one.
	options := Options{URL: "http://127.0.0.1:5000", Command: []string{"sh", "-c", "echo http://0.0.0.0:4700; sleep 60"}}
	address, stop, err := launch(options)
	if err != nil || address != options.URL {
		t.Fatal(address, err)
	}
	stop()
}

type tests func() int

func (run tests) Run() int { return run() }

func TestRunWithURL(t *testing.T) {
	t.Setenv("PRICE_FEED_BASE_URL", "")
	// Nothing can be started.
	t.Setenv("PATH", "")
	seen := ""
	status := Run(tests(func() int {
		seen = os.Getenv("PRICE_FEED_BASE_URL")
		return 7
	}), Options{URL: "http://127.0.0.1:5000"})
	if status != 7 || seen != "http://127.0.0.1:5000" {
		t.Error(status, seen)
	}
}

func TestRoot(t *testing.T) {
	for _, address := range []string{"https://proxy.example/mock", "https://proxy.example/mock/", "https://proxy.example/mock/session/x"} {
		if found := root(address); found != "https://proxy.example/mock" {
			t.Error(address, found)
		}
	}
	// A host can have such a name, as a service of Docker Compose has.
	if found := root("http://session/session/x"); found != "http://session" {
		t.Error(found)
	}
}
