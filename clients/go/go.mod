module price-feed-mock/clients/go

go 1.19

require (
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.3.0
	golang.org/x/crypto v0.23.0
)

require golang.org/x/sys v0.20.0 // indirect
