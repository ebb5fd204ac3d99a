// Package secp256k1 stands for the library of the same path in tests without a Go proxy: Debian has another one for the same curve.
package secp256k1

import "github.com/btcsuite/btcd/btcec"

type PublicKey = btcec.PublicKey

type PrivateKey = btcec.PrivateKey

func PrivKeyFromBytes(bytes []byte) *PrivateKey {
	key, _ := btcec.PrivKeyFromBytes(btcec.S256(), bytes)
	return key
}
