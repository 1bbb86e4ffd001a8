import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type AgentCard, type Part, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, DefaultRequestHandler } from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { A2AService, grpcService } from '@a2a-js/sdk/server/grpc';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import express from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

/*
 * The peer: the server of the official JavaScript SDK with its Postgres store, an agent that completes at once, and no
 * authentication, on every binding. A child process of the benchmark. It prints its addresses.
 */

const [databaseUrl] = process.argv.slice(2);
const command = path.join(path.dirname(createRequire(import.meta.url).resolve('@a2a-js/sdk')), 'cli/a2a_db.js');
execFileSync(process.execPath, [command, 'upgrade', '--url', databaseUrl], { stdio: ['ignore', 'ignore', 'inherit'] });

const text = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const status = (state: TaskState) => ({ state, message: undefined, timestamp: new Date().toISOString() });

const instant: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    bus.publish(
      AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_WORKING), metadata: undefined }),
    );
    bus.publish(
      AgentEvent.artifactUpdate({
        taskId,
        contextId,
        artifact: {
          artifactId: 'answer',
          name: 'answer',
          description: '',
          parts: [text('done')],
          metadata: undefined,
          extensions: [],
        },
        append: false,
        lastChunk: true,
        metadata: undefined,
      }),
    );
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: status(TaskState.TASK_STATE_COMPLETED),
        metadata: undefined,
      }),
    );
    bus.finished();
  },
  cancelTask: async () => {},
};

const app = express();
const overGrpc = new Server();
const grpcPort = await new Promise<number>((resolve, reject) => {
  overGrpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
});
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const grpc = `127.0.0.1:${grpcPort}`;
  const offered = (protocolBinding: string, address: string) => ({
    url: address,
    protocolBinding,
    tenant: '',
    protocolVersion: '1.0',
  });
  const card: AgentCard = {
    name: 'Peer',
    description: 'An agent that is done at once',
    supportedInterfaces: [offered('JSONRPC', `${url}/a2a`), offered('HTTP+JSON', `${url}/rest`), offered('GRPC', grpc)],
    provider: undefined,
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
    signatures: [],
  };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 12 });
  const store = new DatabaseTaskStore(new Kysely({ dialect: new PostgresDialect({ pool }) }));
  const requestHandler = new DefaultRequestHandler(card, store, instant);
  const served = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/a2a', jsonRpcHandler(served));
  app.use('/rest', restHandler(served));
  overGrpc.addService(A2AService, grpcService(served));
  process.stdout.write(`${JSON.stringify({ url, grpc })}\n`);
});
// exits when the benchmark closes the standard input, or ends
process.stdin.resume().on('end', () => process.exit(0));
