import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';

export interface GitBackendRequest {
  /** The folder of the repositories. */
  root: string;
  /** The path of the request below the root. */
  pathname: string;
  query: string;
  body: Buffer;
  /** Receives each part of the response's body. Null: the rest is never sent. Default: unchanged. */
  transform?: (chunk: Buffer, sentBytes: number) => Buffer | null;
}

let backend: string | undefined;

/** Answers with `git http-backend`, through the part of CGI (RFC 3875) that it uses. */
export function answerWithGit(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { root, pathname, query, body, transform }: GitBackendRequest,
): void {
  backend ??= path.join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const child = spawn(backend, [], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      REQUEST_METHOD: method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: query,
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  response.on('close', () => child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined); // the response shows whether the backend has failed
  child.stdin.end(body);
  let head = Buffer.alloc(0);
  let sent = 0;
  let isHanging = false;
  const send = (chunk: Buffer) => {
    if (isHanging || !chunk.length) return;
    const part = transform ? transform(chunk, sent) : chunk;
    if (!part) return void (isHanging = true);
    sent += part.length;
    response.write(part);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return send(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    let status = 200;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [, name, value] = /^([^:]+): (.*)$/.exec(line)!;
      if (name === 'Status') status = Number(value.slice(0, 3));
      else response.setHeader(name, value);
    }
    response.writeHead(status);
    send(head.subarray(end + 4));
  });
  child.stdout.on('end', () => void (isHanging || response.end()));
}
