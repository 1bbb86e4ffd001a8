import path from 'node:path';
import { type Environment, environmentSchema } from './environment-schema.js';

/** The only reader of the environment. It reports all problems at once; the process does not start if there is any. */

export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
  }
}

export class Config {
  private constructor(
    private readonly env: Environment,
    /** Credentials of connections, which documents of an organization refer to by name. */
    readonly secretVariables: ReadonlyMap<string, string>,
  ) {}

  static from(environment: Record<string, string | undefined> = process.env): Config {
    const given = Object.fromEntries(
      Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
    );
    const read = environmentSchema.safeParse(given);
    if (!read.success)
      throw new ConfigError(read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
    const secrets = Object.entries(given).filter(([name]) => name.startsWith('SECRET_'));
    const config = new Config(read.data, new Map(secrets as [string, string][]));
    const problems = config.findContradictions();
    if (problems.length) throw new ConfigError(problems);
    return config;
  }

  private findContradictions(): string[] {
    const { DATABASE_URL, DATABASE_LOGIN_URL, MASTER_KEYS, ROLE, SMTP_URL, SMTP_FROM } = this.env;
    return [
      SMTP_URL && !SMTP_FROM && 'SMTP_URL: also needs SMTP_FROM, the address that sends the notifications',
      DATABASE_LOGIN_URL && !DATABASE_URL && 'DATABASE_LOGIN_URL: also needs DATABASE_URL, for the migrations',
      ROLE !== 'all' &&
        !DATABASE_URL &&
        `ROLE: "${ROLE}" needs DATABASE_URL, because the embedded database serves one process only`,
      ROLE !== 'all' &&
        !MASTER_KEYS.length &&
        `ROLE: "${ROLE}" needs MASTER_KEYS, because several processes share the encrypted values`,
    ].filter((problem) => typeof problem === 'string');
  }

  /** The actual listening port. Set after the server listens, because port 0 selects a free one. */
  private listener?: { port: number };
  setListeningPort(port: number): void {
    this.listener = { port };
  }

  get host() {
    return this.env.HOST;
  }
  get port() {
    return this.listener?.port ?? this.env.PORT;
  }
  get internalHost() {
    return this.env.INTERNAL_HOST;
  }
  get internalPort() {
    return this.env.INTERNAL_PORT;
  }
  get baseUrl() {
    const host = ['0.0.0.0', '::'].includes(this.host) ? 'localhost' : this.host;
    return this.env.BASE_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
  }
  get a2aUrl() {
    return this.env.A2A_URL ?? this.baseUrl;
  }
  /** Undefined: A2A over gRPC is disabled. */
  get grpcPort() {
    return this.env.GRPC_PORT;
  }
  /** The public address for callers, if it differs from the listening address. */
  get grpcAddress() {
    return this.env.GRPC_ADDRESS;
  }
  get trustedProxies() {
    return this.env.TRUSTED_PROXIES;
  }
  get role() {
    return this.env.ROLE;
  }
  get isWeb() {
    return this.role !== 'worker';
  }
  get isWorker() {
    return this.role !== 'web';
  }
  get dataDir() {
    return path.resolve(this.env.DATA_DIR);
  }
  get databaseUrl() {
    return this.env.DATABASE_URL;
  }
  get databaseLoginUrl() {
    return this.env.DATABASE_LOGIN_URL;
  }
  get databasePool() {
    return this.env.DATABASE_POOL;
  }
  get databaseSystemPool() {
    return this.env.DATABASE_SYSTEM_POOL;
  }
  /** If empty, a key is generated once and stored in the data folder. */
  get masterKeys(): Buffer[] {
    return this.env.MASTER_KEYS;
  }
  /** Private networks that outbound requests of connections may reach. */
  get allowPrivateNetworks() {
    return this.env.ALLOW_PRIVATE_NETWORKS;
  }
  get folderRoots() {
    return this.env.FOLDER_ROOTS;
  }
  /** Documents that are applied to the organization at the start. */
  get configDir() {
    return this.env.CONFIG_DIR;
  }
  /** The URL slug of their organization, if there are several. */
  get configOrganization() {
    return this.env.CONFIG_ORGANIZATION;
  }
  /** Files of custom connectors. */
  get connectors() {
    return this.env.CONNECTORS;
  }
  get stdioCommands() {
    return this.env.STDIO_COMMANDS;
  }
  /** Origins of web pages that may use the MCP endpoint, in addition to our own. */
  get mcpAllowedOrigins() {
    return this.env.MCP_ALLOWED_ORIGINS;
  }
  get modelBaseUrl() {
    return this.env.MODEL_BASE_URL;
  }
  get modelApiKey() {
    return this.env.MODEL_API_KEY;
  }
  get modelName() {
    return this.env.MODEL_NAME;
  }
  /** The base URL of Cursor's APIs. "cursor" connections send their keys there. */
  get cursorUrl() {
    return this.env.CURSOR_URL;
  }
  /** Undefined: no email is sent. */
  get smtp() {
    const { SMTP_URL: url, SMTP_FROM: from = '', SMTP_TLS } = this.env;
    return url ? { url, from, requiresTls: SMTP_TLS === 'required' } : undefined;
  }
  get slackApiUrl() {
    return this.env.SLACK_API_URL;
  }
  get notifications() {
    return {
      /** After a message, further notifications for the same recipient are collected for this long. */
      digestMs: this.env.NOTIFICATION_DIGEST_SECONDS * 1000,
      /** The pause before the first retry of a failed delivery. It doubles with each further one. */
      retryMs: this.env.NOTIFICATION_RETRY_SECONDS * 1000,
    };
  }
  get logLevel() {
    return this.env.LOG_LEVEL;
  }
  get otlpEndpoint() {
    return this.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
  get limits() {
    const env = this.env;
    return {
      bodyBytes: env.LIMIT_BODY_BYTES,
      textBytes: env.LIMIT_TEXT_BYTES,
      parts: env.LIMIT_PARTS,
      jsonDepth: env.LIMIT_JSON_DEPTH,
      sendsPerMinute: env.LIMIT_SENDS_PER_MINUTE,
      readsPerMinute: env.LIMIT_READS_PER_MINUTE,
      workingTasks: env.LIMIT_WORKING_TASKS,
      streams: env.LIMIT_STREAMS,
      inFlight: env.LIMIT_IN_FLIGHT,
      /** Open MCP requests of one person and client, per process. */
      openRequests: env.LIMIT_OPEN_REQUESTS,
      /** Requests of one address to the OAuth endpoints, per process. */
      tokensPerMinute: env.LIMIT_TOKENS_PER_MINUTE,
      /** Requests of one network to GraphQL without an accepted credential, per process. */
      refusalsPerMinute: env.LIMIT_REFUSALS_PER_MINUTE,
      /** Time limit for a connected system to answer a tool call. */
      callSeconds: env.LIMIT_CALL_SECONDS,
      /** Total time that a call waits for the caller's answers to questions of a connected system. */
      questionSeconds: env.LIMIT_QUESTION_SECONDS,
      /** Tool calls of a task per message of its caller. */
      callsPerMessage: env.LIMIT_CALLS_PER_MESSAGE,
      /** Tool calls of a task in total. */
      callsPerTask: env.LIMIT_CALLS_PER_TASK,
      /** Tool calls of one key's tasks, over all processes. */
      callsPerMinute: env.LIMIT_CALLS_PER_MINUTE,
    };
  }
  /** Time that work in progress gets to finish during shutdown. */
  get shutdownGraceMs() {
    return this.env.SHUTDOWN_GRACE_SECONDS * 1000;
  }
  /** How long an assistant's request stays open while its call waits for an approval. */
  get hold() {
    return {
      ms: this.env.MCP_HOLD_SECONDS * 1000,
      /** For clients that accept progress notifications, and the interval of these. */
      withProgressMs: this.env.MCP_HOLD_PROGRESS_SECONDS * 1000,
      progressMs: this.env.MCP_PROGRESS_SECONDS * 1000,
    };
  }
  /**
   * How long an MCP client of the 2025 versions waits before it reconnects a stream. The official SDKs give up after
   * two attempts, so a restart may take up to twice as long.
   */
  get mcpReconnectMs() {
    return this.env.MCP_RECONNECT_SECONDS * 1000;
  }
  /** For every event stream. */
  get stream() {
    return {
      keepAliveMs: this.env.STREAM_KEEP_ALIVE_SECONDS * 1000,
      maxBufferedBytes: this.env.LIMIT_STREAM_UNREAD_BYTES,
      stalledMs: this.env.LIMIT_STREAM_UNREAD_SECONDS * 1000,
    };
  }
  get task() {
    return {
      workSeconds: this.env.TASK_WORK_SECONDS,
      leaseSeconds: this.env.TASK_LEASE_SECONDS,
      retentionDays: this.env.TASK_RETENTION_DAYS,
      concurrency: this.env.TASK_CONCURRENCY,
    };
  }
  /** Undefined: events of the audit log are never removed. */
  get auditRetentionDays() {
    return this.env.AUDIT_RETENTION_DAYS;
  }
  get approvalSeconds() {
    return this.env.APPROVAL_SECONDS;
  }
}
