import { realpath, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { plural } from '../../../src/estate/findings/quoted-text.js';
import { severities, type Severity } from '../../../src/estate/findings/rule.js';
import type { CommandContext } from '../../command-context.js';
import { CommandError } from '../../command-error.js';
import { environment } from '../../environment.js';
import { ConfigurationSearch } from '../../estate/configuration-search.js';
import { readConfiguration } from '../../estate/read-configuration.js';
import { writeSarif } from '../../estate/write-sarif.js';
import { printScan, scanDocument, type ScanResult } from '../../estate/scan-report.js';
import { findingsOf, scanFile, SecretNumbers, type ScannedFile } from '../../estate/scanned-estate.js';
import { exitCodes } from '../../exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { plainText } from '../../terminal/plain-text.js';
import { uploadScan } from './upload-scan.js';

export interface ScanOptions {
  user?: boolean;
  failOn?: Severity;
  sarif?: string;
  upload?: boolean;
  owner?: string;
  device?: string;
  complete?: boolean;
  yes?: boolean;
}

/** `countersign estate scan`: finds, reads and evaluates the configuration of AI clients on this machine. */
export async function scan(
  { output }: CommandContext,
  paths: string[],
  { server, ...options }: ScanOptions & { server?: string },
): Promise<void> {
  const isSarifOutput = options.sarif === '-';
  if (isSarifOutput && output.isJson)
    throw new CommandError(exitCodes.usage, 'two-outputs', 'Use either --json or "--sarif -": both write to stdout.');
  const search = await searchIn(paths, options);
  const secrets = new SecretNumbers();
  const files: ScannedFile[] = [];
  for (const found of search.found.values()) files.push(scanFile(found, await readConfiguration(found), secrets));
  const result: ScanResult = { search, files, findings: findingsOf(files) };
  if (!isSarifOutput) printScan(output, result, environment.hasColor());
  if (options.sarif !== undefined) await writeSarif(options.sarif, result.findings);
  if (options.upload && options.complete && search.isIncomplete)
    throw new CommandError(
      exitCodes.failure,
      'incomplete-scan',
      'Nothing was sent: with --complete, the files in folders that could not be read would count as gone.',
    );
  // SARIF is the only text on stdout
  const texts: Output = isSarifOutput ? { ...output, line: (text = '') => output.note(text) } : output;
  const upload = options.upload
    ? await uploadScan(texts, files, secrets, { ...options, server: server ?? environment.server() })
    : undefined;
  output.json({ ...scanDocument(result), ...(upload && { upload }) });
  failOn(result, options.failOn);
}

async function searchIn(paths: string[], { user }: ScanOptions): Promise<ConfigurationSearch> {
  const search = new ConfigurationSearch();
  if (user) {
    await search.searchHome(await existing(os.homedir()));
    for (const [usual, folder] of environment.clientFolders()) await search.searchClientFolder(folder, usual);
    for (const [usual, file] of environment.clientFiles()) await search.addClientFile(file, usual);
    await search.searchMachine(path.parse(os.homedir()).root);
  }
  for (const name of paths.length || user ? paths : ['.']) {
    const real = await existing(name);
    if ((await stat(real)).isDirectory()) await search.searchFolder(real);
    else if (!(await search.addFile(path.resolve(name))))
      search.skip(path.resolve(name), 'is not a configuration file of a supported AI client');
  }
  return search;
}

async function existing(name: string): Promise<string> {
  try {
    return await realpath(name);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new CommandError(exitCodes.usage, 'invalid-path', `"${plainText(name)}" ${reason}.`);
  }
}

function failOn({ findings }: ScanResult, severity: Severity | undefined): void {
  if (!severity) return;
  const worst = severities.slice(0, severities.indexOf(severity) + 1);
  const count = findings.filter((finding) => worst.includes(finding.severity)).length;
  if (!count) return;
  const orWorse = severity === 'critical' ? '' : ' or worse';
  throw new CommandError(exitCodes.found, 'findings', `${plural(count, 'finding')} of severity ${severity}${orWorse}.`);
}
