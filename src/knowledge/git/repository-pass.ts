import { readdir, rm } from 'node:fs/promises';
import type { BlockList } from 'node:net';
import path from 'node:path';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { ifExists } from '../../platform/files/if-exists.js';
import type { GitPass } from './git-documents.js';
import { createStorage, GitRepository, type GitLimits } from './git-repository.js';
import type { GitSettings } from './git-settings.js';
import { GitTransport, type GitCredential } from './git-transport.js';
import { requireGit } from './git-version.js';
import { StorageLock } from './storage-lock.js';

/** Where copies of repositories are stored, and which hosts git may connect to. */
export interface GitStorage {
  /** The folder for the copies of repositories. */
  root: string;
  allowedNetworks: BlockList;
  limits: GitLimits;
}

interface RepositoryAccess {
  settings: GitSettings;
  credential: GitCredential;
  /** The folder of the copy below that of the connection, for connections with several repositories. */
  copy?: string;
}

const lockWaitMs = 60_000;

/** Reads a repository while it holds the lock of the connection's storage. */
export async function* withRepository<T>(
  { root, allowedNetworks, limits }: GitStorage,
  { connection, signal: passSignal }: Pick<ConnectionContext, 'connection' | 'signal'>,
  { settings, credential, copy }: RepositoryAccess,
  work: (pass: GitPass) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const { tenantId, id } = connection;
  const lock = await StorageLock.acquire(await createStorage(root, tenantId, id), lockWaitMs, passSignal);
  let repository: GitRepository | undefined;
  try {
    const folder = await createStorage(root, tenantId, id, copy);
    const signal = AbortSignal.any([passSignal, lock.signal]);
    await requireGit(folder, signal);
    const { memoryKibibytes } = limits;
    const site = { folder, allowedNetworks, signal, memoryKibibytes };
    const transport = await GitTransport.open(settings.address, credential, site);
    repository = new GitRepository(folder, transport, limits, signal);
    yield* work({ settings, transport, repository, limits, slug: connection.slug });
  } catch (error) {
    await repository?.markIfDamaged(error);
    throw error;
  } finally {
    repository?.blobs.close();
    await lock.release();
  }
}

/** Removes the copies in a folder of the connection whose repositories it no longer reads. */
export async function removeOtherCopies(
  { root }: Pick<GitStorage, 'root'>,
  { connection: { tenantId, id }, signal }: Pick<ConnectionContext, 'connection' | 'signal'>,
  folder: string,
  read: ReadonlySet<string>,
): Promise<void> {
  const copies = path.join(root, tenantId, id, folder);
  const others = ((await ifExists(readdir(copies))) ?? []).filter((name) => !read.has(name));
  if (!others.length) return;
  const lock = await StorageLock.acquire(await createStorage(root, tenantId, id), lockWaitMs, signal);
  try {
    for (const name of others) await rm(path.join(copies, name), { recursive: true, force: true });
  } finally {
    await lock.release();
  }
}
