const slugPattern = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const maxSlugLength = 40;

/** What is wrong with a short name for addresses; null: nothing. */
export function slugFault(slug: string): string | null {
  if (slug.length < 2 || slug.length > maxSlugLength) return `has 2 to ${maxSlugLength} characters`;
  return slugPattern.test(slug) ? null : 'starts with a letter and has lower-case letters, digits and single hyphens';
}

/** The nearest short name to a name; may still be at fault where the name has no Latin letters. */
export function slugFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  return plain
    .replace(/^[^a-z]+/, '')
    .slice(0, maxSlugLength)
    .replace(/-+$/, '');
}
