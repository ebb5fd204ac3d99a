// Package mock gives a Go test a session of price-feed-mock: prices, clock, faults and requests that no other test sees.
package mock

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Options of Start.
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
	session := &Session{t: t, admin: root(address) + "/_mock/sessions"}
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
	for _, fault := range reply.Faults {
		reason := "no endpoint that it acts on was asked"
		if fault.Misses > 0 {
			reason = fmt.Sprintf("%d missed, last: %s", fault.Misses, fault.LastMiss)
		}
		if fault.Hits == 0 {
			session.t.Errorf("never fired: %s, %s (%s)", fault.Fault, fault.Planned, reason)
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
