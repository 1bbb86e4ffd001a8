const maxServerNameLength = 32;

/** What assistants call a configuration in their settings and before the names of its tools: all of them take letters, digits and hyphens. */
export function serverNameOf(configuration: string): string {
  const plain = configuration
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, maxServerNameLength)
    .replace(/-+$/, '');
  return plain || 'countersign';
}
