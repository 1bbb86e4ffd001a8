import type { Tool } from '@modelcontextprotocol/server';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { withTools } from './tools-text.js';

/** The headers of the protocol. The SDK reads no others. */
const forwardedHeaders = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Without a body: it has already been parsed. */
export function webRequest({ headers, originalUrl }: HttpRequest, signal: AbortSignal): Request {
  const forwarded = forwardedHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  return new Request(`http://mcp${originalUrl}`, { method: 'POST', headers: forwarded, signal });
}

/** Aborts when the client disconnects before the response is complete, which cancels the request. */
export function clientDisconnectSignal(response: HttpResponse): AbortSignal {
  const controller = new AbortController();
  whenClosed(response, () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Calls `then` immediately if the response is already closed, because the event does not fire again. */
export function whenClosed(response: HttpResponse, then: () => void): void {
  if (response.closed) then();
  else response.once('close', then);
}

function sendPieces(response: HttpResponse, pieces: readonly Buffer[]): void {
  response.setHeader(
    'Content-Length',
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
}

export function sendJson(response: HttpResponse, status: number, message: object, tools?: readonly Tool[]): void {
  const body = Buffer.from(JSON.stringify(message));
  response.status(status).setHeader('Content-Type', 'application/json');
  sendBody(response, body, tools);
}

function sendBody(response: HttpResponse, body: Buffer, tools?: readonly Tool[]): void {
  if (tools) sendPieces(response, withTools(body, tools));
  else response.end(body);
}

/** Disconnects a client that leaves too much unread, so that its data does not accumulate in memory. */
export async function sendWeb(
  answer: Response,
  response: HttpResponse,
  maxBufferedBytes: number,
  tools?: readonly Tool[],
): Promise<void> {
  if (response.destroyed) return; // the SDK's response is not usable then
  response.status(answer.status);
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  if (answer.headers.get('content-type') !== 'text/event-stream') {
    return sendBody(response, Buffer.from(await answer.arrayBuffer()), tools);
  }
  response.flushHeaders();
  for await (const chunk of answer.body!) {
    // checks the backlog before this chunk, because one answer alone may exceed the limit
    if (response.writableLength > maxBufferedBytes) response.destroy();
    if (response.destroyed) return;
    response.write(chunk);
  }
  response.end();
}
