import { BlockList } from 'node:net';
import path from 'node:path';
import { z } from 'zod';

const commaSeparated = (what: string) =>
  z
    .string()
    .optional()
    .transform((value) =>
      (value ?? '')
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    )
    .describe(what);
const integerSetting = (standard: number, minimum = 1) => z.coerce.number().int().min(minimum).default(standard);
const httpAddress = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));

const stdioCommands = z
  .string()
  .optional()
  .transform((text, context) => {
    if (!text) return [];
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.object({
        name: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
        command: z.string().min(1),
        args: z.array(z.string()).default([]),
        /** Memory limit of the process and its children together. */
        memoryMb: z.number().int().min(16).default(512),
        /** The process is considered hung if it does not answer a ping for this long. */
        silenceSeconds: z.number().min(1).default(30),
      }),
    ),
  );

const networks = commaSeparated('networks').transform((entries, context) => {
  const allowed = new BlockList();
  for (const entry of entries) {
    const [network, bits] = entry.split('/');
    const family = network.includes(':') ? 'ipv6' : 'ipv4';
    try {
      allowed.addSubnet(network, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
    } catch {
      context.addIssue({ code: 'custom', message: `"${entry}" is not a network such as 10.0.0.0/8` });
    }
  }
  return allowed;
});

const origins = commaSeparated('origins').transform((entries, context) => {
  for (const entry of entries)
    if (!URL.canParse(entry) || new URL(entry).origin !== entry)
      context.addIssue({ code: 'custom', message: `"${entry}" is not an origin such as https://assistant.example` });
  return entries;
});

/** All environment variables, with their defaults and allowed values. */
export const environmentSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  INTERNAL_PORT: z.coerce.number().int().min(0).max(65535).default(9090),
  INTERNAL_HOST: z.string().default('127.0.0.1'),
  BASE_URL: httpAddress.optional(),
  A2A_URL: httpAddress.optional(),
  GRPC_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  GRPC_ADDRESS: z
    .string()
    .regex(/^[^\s/]+:\d{1,5}$/, 'must be host:port')
    .optional(),
  TRUSTED_PROXIES: commaSeparated('addresses whose X-Forwarded-For is trusted'),
  ROLE: z.enum(['all', 'web', 'worker']).default('all'),
  DATA_DIR: z.string().default('.countersign'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_LOGIN_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL: integerSetting(12),
  DATABASE_SYSTEM_POOL: integerSetting(6),
  MASTER_KEYS: commaSeparated('base64url keys of 32 bytes; the first encrypts, all decrypt').transform(
    (keys, context) =>
      keys.map((key, index) => {
        const bytes = Buffer.from(key, 'base64url');
        if (bytes.length !== 32)
          context.addIssue({ code: 'custom', message: `key ${index + 1} is not 32 bytes in base64url` });
        return bytes;
      }),
  ),
  ALLOW_PRIVATE_NETWORKS: networks,
  FOLDER_ROOTS: commaSeparated('folders').transform((roots) => roots.map((root) => path.resolve(root))),
  CONFIG_DIR: z
    .string()
    .optional()
    .transform((folder) => folder && path.resolve(folder)),
  CONFIG_ORGANIZATION: z.string().optional(),
  CONNECTORS: commaSeparated('files').transform((files) => files.map((file) => path.resolve(file))),
  STDIO_COMMANDS: stdioCommands,
  MCP_ALLOWED_ORIGINS: origins,
  MODEL_BASE_URL: httpAddress.optional(),
  MODEL_API_KEY: z.string().min(1).optional(),
  MODEL_NAME: z.string().min(1).optional(),
  CURSOR_URL: httpAddress.default('https://api.cursor.com'),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  SMTP_FROM: z
    .string()
    .min(3)
    .max(320)
    .regex(/^[^\r\n]+@[^\r\n]+$/, 'must be an email address')
    .optional(),
  SMTP_TLS: z.enum(['required', 'optional']).default('required'),
  SLACK_API_URL: httpAddress.default('https://slack.com/api'),
  NOTIFICATION_DIGEST_SECONDS: integerSetting(60, 0),
  NOTIFICATION_RETRY_SECONDS: integerSetting(5),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpAddress.optional(),
  LIMIT_BODY_BYTES: integerSetting(1024 * 1024),
  LIMIT_TEXT_BYTES: integerSetting(256 * 1024),
  LIMIT_PARTS: integerSetting(100),
  LIMIT_JSON_DEPTH: integerSetting(32),
  LIMIT_SENDS_PER_MINUTE: integerSetting(600),
  LIMIT_READS_PER_MINUTE: integerSetting(6000),
  LIMIT_WORKING_TASKS: integerSetting(50),
  LIMIT_STREAMS: integerSetting(100),
  LIMIT_STREAM_UNREAD_BYTES: integerSetting(256 * 1024),
  LIMIT_STREAM_UNREAD_SECONDS: integerSetting(60),
  STREAM_KEEP_ALIVE_SECONDS: integerSetting(15),
  LIMIT_IN_FLIGHT: integerSetting(2000),
  LIMIT_OPEN_REQUESTS: integerSetting(200),
  LIMIT_TOKENS_PER_MINUTE: integerSetting(6000),
  LIMIT_REFUSALS_PER_MINUTE: integerSetting(600),
  LIMIT_CALL_SECONDS: integerSetting(60),
  LIMIT_QUESTION_SECONDS: integerSetting(600),
  LIMIT_CALLS_PER_MESSAGE: integerSetting(50),
  LIMIT_CALLS_PER_TASK: integerSetting(500),
  LIMIT_CALLS_PER_MINUTE: integerSetting(6000),
  MCP_HOLD_SECONDS: integerSetting(15),
  MCP_HOLD_PROGRESS_SECONDS: integerSetting(45),
  MCP_PROGRESS_SECONDS: integerSetting(15),
  MCP_RECONNECT_SECONDS: integerSetting(10),
  SHUTDOWN_GRACE_SECONDS: integerSetting(5),
  TASK_WORK_SECONDS: integerSetting(15 * 60),
  TASK_LEASE_SECONDS: integerSetting(10),
  TASK_RETENTION_DAYS: integerSetting(90),
  TASK_CONCURRENCY: integerSetting(64),
  AUDIT_RETENTION_DAYS: z.coerce.number().int().min(1).optional(),
  APPROVAL_SECONDS: integerSetting(24 * 60 * 60),
});

export type Environment = z.infer<typeof environmentSchema>;
