// Package mock gives a Go test a session of price-feed-mock: prices, clock, faults and requests that no other test sees.
package mock

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Options of Start and Run.
type Options struct {
	// URL of a running mock. By default PRICE_FEED_BASE_URL, which `price-feed-mock exec` and Run set.
	URL string
	// Command starts a mock, whose first line of output is its URL. By default npx runs the installed package.
	// A container has another address inside: give its URL as well.
	Command []string
	// Session has options of POST /_mock/sessions: "seed", "clock", "scenario", "prices", "policy", …
	Session map[string]any
}

// Session is the session of one test. Its methods fail the test.
type Session struct {
	ID, BaseURL, HistoryURL, APIKey string
	// Signer is the address to trust.
	Signer string

	t     testing.TB
	admin string
	// In whole milliseconds, as the server counts them: a request of the same one would be earlier than a fraction of it.
	openedMs int64
}

// Request is one of the requests of a session, with its reply.
type Request struct {
	// N is the number of the request in its session, from 1.
	N                        int
	Endpoint, Method, Target string
	// Status of the reply; 0 where none was sent.
	Status int
	// Got is fresh, stale, refused, broken or forged: what the consumer got. Why is the reason, unless it is fresh.
	Got, Why string
	// Faults that were applied.
	Faults []string
	// Now is the virtual time in seconds since the epoch, ReceivedAt the real one in milliseconds.
	Now        int64
	ReceivedAt float64
}

// Filter selects requests: those to one endpoint, such as "latest", and with one status. Zero values select all.
type Filter struct {
	Endpoint string
	Status   int
}

// Never downloads: without an installation, the name could be that of another package.
var npx = []string{"npx", "--no", "--", "price-feed-mock", "--port", "0", "--log", "off"}

// Start opens a session, which ends with the test. Without a URL it also runs a mock for this test alone: see Run. The admin token is
// that of PRICE_FEED_MOCK_ADMIN_TOKEN.
func Start(t testing.TB, options Options) *Session {
	t.Helper()
	address := options.URL
	if address == "" && options.Command == nil {
		address = os.Getenv("PRICE_FEED_BASE_URL")
	}
	if address == "" || options.Command != nil {
		running, stop, err := launch(options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		address = running
	}
	session := &Session{t: t, admin: root(address) + "/_mock/sessions", openedMs: time.Now().UnixMilli()}
	made := struct {
		*Session
		Signer struct{ Address string }
	}{Session: session}
	if options.Session == nil {
		options.Session = map[string]any{}
	}
	session.call(http.MethodPost, "", options.Session, &made)
	session.Signer = made.Signer.Address
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(session.Timeline())
		}
		session.call(http.MethodDelete, "/"+session.ID, nil, nil)
	})
	return session
}

var belowRoot = regexp.MustCompile(`([^/])/(session|scenario)/.*|/+$`)

// root is the address of the mock, which a proxy may have below a path, by that of the mock or of a session.
func root(address string) string {
	return belowRoot.ReplaceAllString(address, "$1")
}

// Run runs the tests of a package with one mock for all of them. Call it in TestMain: os.Exit(mock.Run(m, mock.Options{})).
func Run(m interface{ Run() int }, options Options) int {
	// As in Start, a URL alone is that of a running mock.
	if options.URL != "" && options.Command == nil {
		os.Setenv("PRICE_FEED_BASE_URL", options.URL)
	}
	if os.Getenv("PRICE_FEED_BASE_URL") != "" {
		return m.Run()
	}
	running, stop, err := launch(options)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	defer stop()
	os.Setenv("PRICE_FEED_BASE_URL", running)
	return m.Run()
}

// Change changes the session as PATCH /_mock/sessions/{id} does: {"clock": {"advance": "2m"}}, "scenario", "prices", …
func (session *Session) Change(change map[string]any) {
	session.t.Helper()
	session.call(http.MethodPatch, "/"+session.ID, change, nil)
}

// Time is the virtual time in seconds since the epoch.
func (session *Session) Time() int64 {
	session.t.Helper()
	var reply struct{ Clock struct{ Now int64 } }
	session.call(http.MethodGet, "/"+session.ID, nil, &reply)
	return reply.Clock.Now
}

func (filter Filter) words() (words string) {
	if filter.Endpoint != "" {
		words += ", endpoint " + filter.Endpoint
	}
	if filter.Status != 0 {
		words += fmt.Sprintf(", status %d", filter.Status)
	}
	return words
}

// Requests are the requests of the session, oldest first: the newest 1000.
func (session *Session) Requests(filter Filter) []Request {
	session.t.Helper()
	query := url.Values{}
	if filter.Endpoint != "" {
		query.Set("endpoint", filter.Endpoint)
	}
	if filter.Status != 0 {
		query.Set("status", strconv.Itoa(filter.Status))
	}
	return session.requestsOf(session.ID, query)
}

func (session *Session) requestsOf(id string, query url.Values) []Request {
	session.t.Helper()
	var found []Request
	// A page has a limit of bytes as well.
	for {
		var page struct {
			Requests []Request
			Next     int64
		}
		session.call(http.MethodGet, "/"+id+"/requests?"+query.Encode(), nil, &page)
		found = append(found, page.Requests...)
		if page.Next == 0 {
			return found
		}
		query.Set("after", strconv.FormatInt(page.Next, 10))
	}
}

// WaitForRequests waits until there are so many requests, and returns them. It fails the test after 15 real seconds.
func (session *Session) WaitForRequests(count int, filter Filter) []Request {
	session.t.Helper()
	return session.waitFor(count, filter, 15*time.Second)
}

func (session *Session) waitFor(count int, filter Filter, timeout time.Duration) []Request {
	session.t.Helper()
	for late := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		found := session.Requests(filter)
		if len(found) >= count {
			return found
		}
		if time.Now().After(late) {
			session.t.Fatalf("%s in %s, want at least %d%s%s", counted(found), timeout, count, filter.words(), session.elsewhere())
		}
	}
}

// elsewhere tells of requests since this session began to sessions that no test created: the code under test may use another address.
func (session *Session) elsewhere() string {
	session.t.Helper()
	var list struct {
		Sessions []struct {
			ID       string
			Created  bool
			Requests int
		}
	}
	session.call(http.MethodGet, "", nil, &list)
	notes := ""
	for _, other := range list.Sessions {
		if other.Requests == 0 || (other.Created && other.ID != "default") {
			continue
		}
		var seen []Request
		for _, one := range session.requestsOf(other.ID, url.Values{}) {
			if one.ReceivedAt >= float64(session.openedMs) {
				seen = append(seen, one)
			}
		}
		if len(seen) > 0 {
			last := seen[len(seen)-1]
			notes += fmt.Sprintf("\n%s went to the session %s meanwhile, the newest %s %s with status %d", counted(seen), other.ID, last.Method, last.Target, last.Status)
		}
	}
	if notes == "" {
		return ""
	}
	return notes + "\nuse BaseURL and APIKey of the session in the code under test"
}

func counted(requests []Request) string {
	if len(requests) == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", len(requests))
}

// Timeline is the text of what was asked and answered, beside market and faults. A failed test prints it.
func (session *Session) Timeline() string {
	session.t.Helper()
	var reply struct{ Text string }
	session.call(http.MethodGet, "/"+session.ID+"/timeline", nil, &reply)
	return reply.Text
}

// ExpectFaultsFired fails the test unless every fault of the scenario has changed a reply, with the reason of each that has not.
func (session *Session) ExpectFaultsFired() {
	session.t.Helper()
	var reply struct {
		Faults []struct {
			Fault, Planned, LastMiss string
			Hits, Misses             int
		}
	}
	session.call(http.MethodGet, "/"+session.ID+"/requests/summary", nil, &reply)
	if len(reply.Faults) == 0 {
		session.t.Error("the scenario has no faults")
	}
	isSilent := false
	for _, fault := range reply.Faults {
		reason := "no endpoint that it acts on was asked"
		if fault.Misses > 0 {
			reason = fmt.Sprintf("%d missed, last: %s", fault.Misses, fault.LastMiss)
		}
		if fault.Hits == 0 {
			isSilent = true
			session.t.Errorf("never fired: %s, %s (%s)", fault.Fault, fault.Planned, reason)
		}
	}
	if isSilent {
		if notes := session.elsewhere(); notes != "" {
			session.t.Error(notes[1:])
		}
	}
}

func (session *Session) call(method, path string, body, reply any) {
	session.t.Helper()
	fail := func(err error) {
		session.t.Helper()
		if err != nil {
			session.t.Fatalf("%s %s: %v", method, session.admin+path, err)
		}
	}
	text, err := json.Marshal(body)
	fail(err)
	request, err := http.NewRequest(method, session.admin+path, bytes.NewReader(text))
	fail(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Admin-Token", os.Getenv("PRICE_FEED_MOCK_ADMIN_TOKEN"))
	response, err := http.DefaultClient.Do(request)
	fail(err)
	defer response.Body.Close()
	text, err = io.ReadAll(response.Body)
	fail(err)
	if response.StatusCode/100 != 2 {
		fail(fmt.Errorf("status %d: %s", response.StatusCode, text))
	}
	if reply != nil {
		fail(json.Unmarshal(text, reply))
	}
}

// launch runs a command and returns its URL.
func launch(options Options) (address string, stop func(), err error) {
	command := options.Command
	if command == nil {
		command = npx
	}
	process := exec.Command(command[0], command[1:]...)
	group(process)
	var problem bytes.Buffer
	process.Stderr = &problem
	output, _ := process.StdoutPipe()
	if err = process.Start(); err != nil {
		return "", nil, fmt.Errorf("%w: install it, or set PRICE_FEED_BASE_URL to a running mock", err)
	}
	stop = func() {
		end(process)
		_, _ = io.Copy(io.Discard, output)
		_ = process.Wait()
	}
	late := time.AfterFunc(time.Minute, func() { end(process) })
	line, _ := bufio.NewReader(output).ReadString('\n')
	late.Stop()
	if address = strings.TrimSpace(line); address == "" {
		stop()
		return "", nil, fmt.Errorf("%s gave no URL. Install the package, or set PRICE_FEED_BASE_URL to a running mock:\n%s", strings.Join(command, " "), problem.String())
	}
	if options.URL != "" {
		address = options.URL
	}
	return address, stop, nil
}
