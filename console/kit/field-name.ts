const abbreviations: Record<string, string> = {
  id: 'ID',
  ids: 'IDs',
  url: 'URL',
  urls: 'URLs',
  uri: 'URI',
  uris: 'URIs',
};

/** Fields whose label says more than their name. */
const longNames: Record<string, string> = { current: 'current password' };

/** The name of a field in the words of forms: "/input/logoUrl" is "Logo URL", "/input/redirectUris/0" "Redirect URIs, entry 1". */
export function fieldName(pointer: string): string | null {
  const parts = pointer.split('/').filter(Boolean);
  const index = /^\d+$/.test(parts.at(-1) ?? '') ? Number(parts.pop()) + 1 : null;
  const name = parts.at(-1);
  if (!name || (name === 'input' && index === null)) return null;
  const words = (longNames[name] ?? name)
    .replace(/_/g, ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ')
    .map((word) => abbreviations[word] ?? word)
    .join(' ');
  const label = words[0].toUpperCase() + words.slice(1);
  return index === null ? label : `${label}, entry ${index}`;
}
