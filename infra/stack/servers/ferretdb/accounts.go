package main

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"os"

	"github.com/FerretDB/wire/wirebson"
)

// FerretDB has no accounts where it is used as a library. The one that may use it is therefore asked for here, by SASL's
// PLAIN. Unset, everybody may.
var account, password = os.Getenv("FERRETDB_ACCOUNT"), os.Getenv("FERRETDB_PASSWORD")

var beforeLogin = map[string]bool{"hello": true, "ismaster": true, "isMaster": true}

const (
	opQuery            = 2004
	opMsg              = 2013
	errUnauthorized    = int32(13)
	errWrongCredential = int32(18)
)

// What a connection may do, and the answer to what FerretDB is not asked.
type gate struct{ open bool }

func newGate() *gate { return &gate{open: account == ""} }

// nil: the request goes on to FerretDB.
func (g *gate) answer(request []byte) ([]byte, error) {
	if g.open {
		return nil, nil
	}
	// FerretDB takes nothing but greetings and logins by this old message, and its logins open nothing here.
	if binary.LittleEndian.Uint32(request[12:]) == opQuery {
		return nil, nil
	}
	document, err := onlyDocument(request)
	if err != nil {
		return nil, err
	}
	switch name := document.Command(); {
	case name == "saslStart":
		return reply(request, g.login(document))
	case beforeLogin[name]:
		return nil, nil
	default:
		return reply(request, failure(errUnauthorized, "Unauthorized", "command "+name+" requires authentication"))
	}
}

func (g *gate) login(document *wirebson.Document) *wirebson.Document {
	payload, _ := document.Get("payload").(wirebson.Binary)
	expected := []byte("\x00" + account + "\x00" + password)
	g.open = document.Get("mechanism") == "PLAIN" && subtle.ConstantTimeCompare(payload.B, expected) == 1
	if !g.open {
		return failure(errWrongCredential, "AuthenticationFailed", "Authentication failed.")
	}
	return wirebson.MustDocument("conversationId", int32(1), "done", true, "payload", wirebson.Binary{}, "ok", float64(1))
}

func failure(code int32, name, message string) *wirebson.Document {
	return wirebson.MustDocument("ok", float64(0), "errmsg", message, "code", code, "codeName", name)
}

// The message must consist of one document: with several sections, which of them names the command is a matter of opinion.
func onlyDocument(message []byte) (*wirebson.Document, error) {
	const start = 21
	if len(message) < start+5 || binary.LittleEndian.Uint32(message[12:]) != opMsg || message[start-1] != 0 {
		return nil, errors.New("not a plain message before the login")
	}
	if binary.LittleEndian.Uint32(message[start:]) != uint32(len(message)-start) {
		return nil, errors.New("a message of several sections before the login")
	}
	return wirebson.RawDocument(message[start:]).Decode()
}

func reply(request []byte, document *wirebson.Document) ([]byte, error) {
	body, err := document.Encode()
	if err != nil {
		return nil, err
	}
	message := binary.LittleEndian.AppendUint32(nil, uint32(21+len(body)))
	message = binary.LittleEndian.AppendUint32(message, 0)
	message = append(message, request[4:8]...)
	message = binary.LittleEndian.AppendUint32(message, opMsg)
	return append(append(message, 0, 0, 0, 0, 0), body...), nil
}
