import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  type FolderDocuments,
  FolderError,
  formatFault,
  readDocumentFolder,
} from '../../../src/organization/files/document-folder.js';
import { plural } from '../../../src/estate/findings/quoted-text.js';
import type { FileFault } from '../../../src/organization/files/yaml-documents.js';
import { administrationClient, requestGraphql } from '../../client/graphql.js';
import type { ServerClient } from '../../client/server-client.js';
import type { CommandContext } from '../../command-context.js';
import { CommandError } from '../../command-error.js';
import { environment } from '../../environment.js';
import { exitCodes } from '../../exit-codes.js';
import { plainText } from '../../terminal/plain-text.js';
import { formatPlan } from './format-plan.js';
import { type ApplyOptions, type PlanAnswer, planFields, type PlanOptions } from './organization-plan.js';

const lostAnswers: ReadonlySet<string> = new Set(['unreachable', 'unexpected-response', 'invalid-answer']);
const mayBeApplied = 'The changes may have been applied. Run "countersign plan" to check.';

const planQuery = `query ($input: PlanOrganizationInput!) { organizationPlan(input: $input) { ${planFields} } }`;
const applyMutation = `mutation ($input: ApplyOrganizationInput!) { applyOrganization(input: $input) { hash } }`;

/** `countersign plan`, `countersign policy diff` */
export async function showPlan(context: CommandContext, folder: string, options: PlanOptions): Promise<void> {
  const { output } = context;
  const { plan } = await makePlan(context, folder, options);
  for (const line of formatPlan(plan, { showsUnmanaged: !options.kinds })) output.line(line);
  output.json(plan);
  if (options.detailedExitCode && plan.changes.length)
    throw new CommandError(
      exitCodes.found,
      'changes',
      `The organization differs from the files: ${plan.changes.length} to change.`,
    );
}

/** `countersign apply`, `countersign policy apply` */
export async function applyPlan(context: CommandContext, folder: string, options: ApplyOptions): Promise<void> {
  const { output } = context;
  const { plan, input, client, selected } = await makePlan(context, folder, options);
  for (const line of formatPlan(plan, { showsUnmanaged: !options.kinds })) output.line(line);
  if (!plan.changes.length) return output.json({ applied: false, plan });
  const secrets = secretsOf(plan);
  await confirm(context, plan, options);
  const applied = { ...input, hash: plan.hash, secrets };
  await withPlaces(selected, () => requestGraphql(client, applyMutation, { input: applied })).catch(
    (error: unknown) => {
      throw error instanceof CommandError ? applicationError(error, client) : error;
    },
  );
  output.line('Applied.');
  output.json({ applied: true, plan });
}

interface MadePlan {
  plan: PlanAnswer;
  input: { documents: string; prune: boolean; replaceSecrets: boolean };
  client: ServerClient;
  selected: SelectedDocuments;
}

/** Documents of the wanted kinds, with their place in the folder. */
interface SelectedDocuments {
  folder: string;
  files: FolderDocuments;
  indexes: number[];
}

async function makePlan(
  context: CommandContext,
  folder: string,
  { prune = false, replaceSecrets = false, kinds }: PlanOptions,
): Promise<MadePlan> {
  const files = await readFolder(folder);
  const indexes = [...files.documents.keys()].filter((nth) => !kinds || kinds.includes(files.documents[nth].kind));
  if (!indexes.length)
    throw new CommandError(exitCodes.usage, 'no-documents', `There are no documents in ${plainText(folder)}.`);
  const selected = { folder, files, indexes };
  const documents = JSON.stringify(indexes.map((nth) => files.documents[nth]));
  const input = { documents, prune, replaceSecrets };
  const client = await administrationClient(context);
  const { organizationPlan: plan } = await withPlaces(selected, () =>
    requestGraphql<{ organizationPlan: PlanAnswer }>(client, planQuery, { input }),
  );
  return { plan, input, client, selected };
}

async function readFolder(folder: string): Promise<FolderDocuments> {
  const isFolder = await stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new CommandError(exitCodes.usage, 'no-folder', `${plainText(folder)} is not a folder.`);
  try {
    return await readDocumentFolder(folder);
  } catch (error) {
    if (error instanceof FolderError) throw invalidFiles(folder, error.faults);
    throw error;
  }
}

/** Errors of the server name documents by number: the message names files and lines. */
async function withPlaces<T>({ folder, files, indexes }: SelectedDocuments, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 'documents-invalid') throw error;
    const errors = error.details.errors as { pointer: string; detail: string }[];
    throw invalidFiles(
      folder,
      errors.map(({ pointer, detail }) => {
        const [nth, ...field] = pointer.split('/').slice(1);
        const place = files.placeOf(
          indexes[Number(nth)],
          field.map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
        );
        return { ...place, message: detail };
      }),
    );
  }
}

function invalidFiles(folder: string, faults: readonly FileFault[]): CommandError {
  const lines = faults.map((fault) => formatFault({ ...fault, file: path.join(folder, fault.file) }));
  const message = ['The files are not valid:', ...lines.map((text) => `  ${plainText(text)}`)].join('\n');
  return new CommandError(exitCodes.usage, 'documents-invalid', message, { errors: faults });
}

/** The values of the environment that the plan needs. */
function secretsOf({ changes }: PlanAnswer): { connection: string; secret: string; value: string }[] {
  const withSecrets = changes.filter(({ secrets }) => secrets.length);
  const missing = withSecrets
    .flatMap(({ secrets }) => secrets.map((secret) => secret.environment))
    .filter((name) => !environment.variable(name)?.trim());
  if (missing.length)
    throw new CommandError(
      exitCodes.usage,
      'secrets-missing',
      `These environment variables are not set: ${missing.join(', ')}.`,
    );
  return withSecrets.flatMap(({ name: connection, secrets }) =>
    secrets.map(({ secret, environment: variable }) => ({
      connection,
      secret,
      value: environment.variable(variable)!,
    })),
  );
}

async function confirm({ output }: CommandContext, plan: PlanAnswer, { yes }: ApplyOptions): Promise<void> {
  if (yes) return;
  if (output.isJson || !process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandError(exitCodes.usage, 'confirmation-required', 'Add --yes to apply without being asked.');
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({ message: `Apply ${plural(plan.changes.length, 'change')}?`, initialValue: false });
  if (isCancel(answer)) throw new CommandError(exitCodes.interrupted, 'interrupted', 'Nothing was changed.');
  if (!answer) throw new CommandError(exitCodes.failure, 'not-confirmed', 'Nothing was changed.');
}

function applicationError(error: CommandError, client: ServerClient): CommandError {
  const { exitCode, code, message, details } = error;
  // nothing has changed yet: a person confirms the change in the console
  if (code === 'change-proposed') {
    const url = `${client.baseUrl}/console/organization/proposed-changes/${String(details.proposedChangeId)}`;
    return new CommandError(exitCodes.pending, code, `${message}\n  ${url}`, { ...details, url });
  }
  return lostAnswers.has(code) ? new CommandError(exitCode, code, `${message}\n${mayBeApplied}`, details) : error;
}
