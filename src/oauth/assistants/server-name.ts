const longest = 32;

/** What assistants call a configuration in their settings and before the names of its tools: all of them take letters, digits and hyphens. */
export function serverName(configuration: string): string {
  const plain = configuration
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-+$/, '');
  return plain || 'countersign';
}
