// Reads the card of an agent and talks to it with the official Go SDK: prints what it parsed and received as JSON.
//
//	go run . BASE_URL KEY
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
)

type withKey struct{ key string }

func (t withKey) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+t.key)
	return http.DefaultTransport.RoundTrip(request)
}

type outcome struct {
	Error     string          `json:"error,omitempty"`
	Card      *a2a.AgentCard  `json:"card,omitempty"`
	Requires  []string        `json:"requires,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Streamed  []string        `json:"streamed,omitempty"`
	Interface string          `json:"interface,omitempty"`
}

func main() {
	base, key := os.Args[1], os.Args[2]
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client := &http.Client{Transport: withKey{key}}
	report := map[string]outcome{
		"default": talk(ctx, client, &agentcard.Resolver{Client: client}, base),
		"0.3": talk(ctx, client, &agentcard.Resolver{Client: client, CardParser: a2av0.NewAgentCardParser()}, base,
			agentcard.WithRequestHeader(a2a.SvcParamVersion, "0.3")),
	}
	if err := json.NewEncoder(os.Stdout).Encode(report); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func talk(ctx context.Context, client *http.Client, resolver *agentcard.Resolver, base string, options ...agentcard.ResolveOption) outcome {
	card, err := resolver.Resolve(ctx, base, options...)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	found := outcome{Card: card, Interface: string(card.SupportedInterfaces[0].ProtocolVersion)}
	for _, requirement := range card.SecurityRequirements {
		for name := range requirement {
			found.Requires = append(found.Requires, string(name))
		}
	}
	a2aClient, err := a2aclient.NewFromCard(ctx, card,
		a2aclient.WithJSONRPCTransport(client),
		a2av0.WithJSONRPCTransport(a2av0.JSONRPCTransportConfig{Client: client}))
	if err != nil {
		found.Error = err.Error()
		return found
	}
	message := func() *a2a.SendMessageRequest {
		return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("echo Hello from Go"))}
	}
	result, err := a2aClient.SendMessage(ctx, message())
	if err != nil {
		found.Error = err.Error()
		return found
	}
	if found.Result, err = json.Marshal(result); err != nil {
		found.Error = err.Error()
		return found
	}
	for event, err := range a2aClient.SendStreamingMessage(ctx, message()) {
		if err != nil {
			found.Error = err.Error()
			return found
		}
		found.Streamed = append(found.Streamed, fmt.Sprintf("%T", event))
	}
	return found
}
