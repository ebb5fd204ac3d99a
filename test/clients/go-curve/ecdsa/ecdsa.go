// Package ecdsa has the two functions that the client and its tests use.
package ecdsa

import (
	"errors"
	"math/big"

	"github.com/btcsuite/btcd/btcec"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func RecoverCompact(signature, hash []byte) (*secp256k1.PublicKey, bool, error) {
	// This version of btcec takes any r for a point of the curve.
	r := new(big.Int).SetBytes(signature[1:33])
	square := new(big.Int).Exp(r, big.NewInt(3), btcec.S256().P)
	if square.ModSqrt(square.Add(square, btcec.S256().B), btcec.S256().P) == nil {
		return nil, false, errors.New("no point of the curve")
	}
	return btcec.RecoverCompact(btcec.S256(), signature, hash)
}

func SignCompact(key *secp256k1.PrivateKey, hash []byte, isCompressed bool) []byte {
	signature, err := btcec.SignCompact(btcec.S256(), key, hash, isCompressed)
	if err != nil {
		panic(err)
	}
	return signature
}
