// FerretDB as a library: its own command refuses to start when it is built this way.
// Usage: ferretdb <host:port> <folder of its files>
//
// FerretDB reads a document, changes it and writes it back without a lock, so two updates at once may lose one, which
// MongoDB promises not to. Commands that write, or make collections and indexes, therefore pass one at a time here.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/FerretDB/FerretDB/ferretdb"
)

const maxMessage = 48_000_000

var alone = map[string]bool{
	"insert": true, "update": true, "delete": true, "findAndModify": true, "create": true, "createIndexes": true,
}

// Holds whoever writes now. Those who wait are served in turn.
var writing = make(chan struct{}, 1)

func main() {
	socket := filepath.Join(os.Args[2], "socket")
	_ = os.Remove(socket)
	server, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{Unix: socket},
		Handler:  "sqlite",
		// With a write-ahead log a killed process loses nothing, only a lost machine may; each write is spared its fsync.
		SQLiteURL: "file:" + os.Args[2] + "/?_pragma=synchronous(normal)",
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	go serve(os.Args[1], socket)
	if err := server.Run(ctx); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// Whoever is let in must find FerretDB there.
func serve(address, socket string) {
	for {
		if probe, err := net.Dial("unix", socket); err == nil {
			probe.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer client.Close()
			backend, err := net.Dial("unix", socket)
			if err != nil {
				return
			}
			defer backend.Close()
			if err := relay(client, backend); err != io.EOF {
				log.Print(err)
			}
		}()
	}
}

// One request, one answer: neither exhaust cursors nor unacknowledged writes are served. A client that has gone away is
// noticed while its command waits, which is then not carried out: whoever gave up asks again, and a server that works
// through what nobody waits for any more never catches up.
func relay(client, backend net.Conn) error {
	requests, gone, done := make(chan []byte), make(chan struct{}), make(chan struct{})
	defer close(done)
	var failure error
	go func() {
		defer close(gone)
		reader := bufio.NewReader(client)
		for {
			request, err := readMessage(reader)
			if err != nil {
				failure = err
				return
			}
			select {
			case requests <- request:
			case <-done:
				return
			}
		}
	}()
	answers := bufio.NewReader(backend)
	gate := newGate()
	for {
		select {
		case <-gone:
			return failure
		case request := <-requests:
			answer, err := gate.answer(request)
			if err == nil && answer == nil {
				answer, err = exchange(request, gone, answers, backend)
			}
			if err != nil {
				return err
			}
			if _, err := client.Write(answer); err != nil {
				return err
			}
		}
	}
}

func exchange(request []byte, gone <-chan struct{}, answers io.Reader, backend io.Writer) ([]byte, error) {
	if alone[command(request)] {
		select {
		case writing <- struct{}{}:
			defer func() { <-writing }()
		case <-gone:
			return nil, io.EOF
		}
	}
	if _, err := backend.Write(request); err != nil {
		return nil, err
	}
	answer, err := readMessage(answers)
	if err == nil && command(request) == "createIndexes" {
		// Without it everything is slower, and right all the same.
		if err := indexIds(os.Args[2]); err != nil {
			log.Print(err)
		}
	}
	return answer, err
}

func readMessage(from io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(from, head); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head)
	if length < 16 || length > maxMessage {
		return nil, errors.New("not a message of the Mongo wire protocol")
	}
	message := make([]byte, length)
	copy(message, head)
	_, err := io.ReadFull(from, message[4:])
	return message, err
}

// The name of an OP_MSG's first field: header 16 bytes, flags 4, section kind 1, document length 4, type 1, name, zero.
func command(message []byte) string {
	const name = 26
	if len(message) <= name || binary.LittleEndian.Uint32(message[12:]) != 2013 {
		return ""
	}
	end := bytes.IndexByte(message[name:], 0)
	if end < 0 {
		return ""
	}
	return string(message[name : name+end])
}
