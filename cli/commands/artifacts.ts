import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Artifact, ArtifactPart, Citation } from '../client/wire.js';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';
import type { Output } from '../terminal/output.js';
import { jsonText, plainLines, plainText } from '../terminal/plain-text.js';

interface ArtifactFile {
  name: string;
  content: string | Buffer;
}

export function showArtifacts(output: Output, artifacts: readonly Artifact[]): void {
  for (const { name, parts } of artifacts) {
    output.line(output.color('bold', plainText(name)));
    for (const part of parts) for (const line of partLines(output, part)) output.line(line);
  }
}

function partLines(output: Output, part: ArtifactPart): string[] {
  const citations = citationsOf(part);
  if (!citations) return [partText(part)];
  return citations.map(({ n, title, source, position, url }) => {
    const place = [source, position, url].filter(Boolean).join(' · ');
    return `${plainText(`[${n}] ${title}`)}  ${output.color('dim', plainText(place))}`;
  });
}

/** The sources of an answer, to which it refers as [1]. */
function citationsOf({ data }: ArtifactPart): Citation[] | null {
  const { kind, citations } = (data ?? {}) as { kind?: unknown; citations?: unknown };
  const isList = Array.isArray(citations) && citations.every((one) => typeof one === 'object' && one !== null);
  return kind === 'citations' && isList ? (citations as Citation[]) : null;
}

function partText({ text, data, raw, url, filename }: ArtifactPart): string {
  if (text !== undefined) return plainLines(text);
  if (data !== undefined) return jsonText(data, 2);
  return plainText(url ?? `[file ${filename ?? ''}, ${Buffer.byteLength(raw ?? '', 'base64')} bytes: with --output]`);
}

/** Writes one file for each part, directly into the folder, and returns their paths. No existing file is replaced. */
export async function writeArtifacts(
  artifacts: readonly Artifact[],
  folder: string,
  { overwrite }: { overwrite: boolean },
): Promise<string[]> {
  const files = filesOf(artifacts).map(({ name, content }) => ({ file: path.join(folder, name), content }));
  await fs.mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw notWritten(folder, error);
  });
  if (!overwrite) await requireNew(files.map(({ file }) => file));
  for (const { file, content } of files) await writeFile(file, content, overwrite);
  return files.map(({ file }) => file);
}

/** Before anything is written, so that it is all or nothing. */
async function requireNew(files: string[]): Promise<void> {
  for (const file of files)
    if (await fs.lstat(file).catch(() => null))
      throw new CommandError(exitCodes.failure, 'file-exists', `${file} exists. Use another folder, or --overwrite.`);
}

/** Follows no link that lies in the folder: it could lead out of it. */
async function writeFile(file: string, content: string | Buffer, overwrite: boolean): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_NOFOLLOW = 0 } = constants;
  try {
    const handle = await fs.open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | (overwrite ? O_TRUNC : O_EXCL), 0o666);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw notWritten(file, error as Error);
  }
}

const notWritten = (file: string, { message }: Error): CommandError =>
  new CommandError(exitCodes.failure, 'file-not-written', `${file} cannot be written: ${message}`);

function filesOf(artifacts: readonly Artifact[]): ArtifactFile[] {
  const used = new Set<string>();
  return artifacts.flatMap((artifact) =>
    artifact.parts.map((part) => ({ name: unused(nameOf(artifact, part), used), content: contentOf(part) })),
  );
}

function contentOf({ text, data, raw, url }: ArtifactPart): string | Buffer {
  if (text !== undefined) return text;
  if (raw !== undefined) return Buffer.from(raw, 'base64');
  return data === undefined ? `${url}\n` : `${JSON.stringify(data, null, 2)}\n`;
}

function nameOf({ name, artifactId }: Artifact, { text, raw, data, filename, mediaType }: ArtifactPart): string {
  if (filename) return safeFileName(filename, artifactId);
  const ending =
    text !== undefined ? textEnding(mediaType) : data !== undefined ? '.json' : raw !== undefined ? '.bin' : '.url';
  const base = safeFileName(name, artifactId);
  return base.toLowerCase().endsWith(ending) ? base : base + ending;
}

const textEnding = (mediaType?: string): string => (mediaType === 'text/plain' ? '.txt' : '.md');

/** Names that Windows reserves for devices. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const maxNameBytes = 120;

/** One path segment: no separators, no invisible characters, not hidden, not too long. */
export function safeFileName(name: string, fallback: string): string {
  const clean = (text: string) =>
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}/\\:*?"<>|]/gu, '_').replace(/^[.\s-]+|[.\s]+$/g, '');
  const candidate = [name, fallback].map(clean).find((text) => text !== '') ?? 'artifact';
  const short = Buffer.byteLength(candidate) > maxNameBytes ? shortened(candidate) : candidate;
  return reserved.test(short) ? `_${short}` : short;
}

/** Keeps the ending. */
function shortened(name: string): string {
  const ending = path.extname(name).slice(0, 16);
  const ascii = name.slice(0, -ending.length || undefined).replace(/[^\x20-\x7e]/g, '_');
  return ascii.slice(0, maxNameBytes - ending.length) + ending.replace(/[^\x20-\x7e]/g, '_');
}

/** File systems without case would write two names into one file. */
function unused(name: string, used: Set<string>): string {
  const { name: base, ext } = path.parse(name);
  let candidate = name;
  for (let number = 2; used.has(candidate.toLowerCase()); number++) candidate = `${base}-${number}${ext}`;
  used.add(candidate.toLowerCase());
  return candidate;
}
