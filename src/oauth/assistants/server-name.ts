const maxServerNameLength = 32;

/**
 * The name of a configuration in the settings and tool names of assistants. All of them accept letters, digits and
 * hyphens.
 */
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
