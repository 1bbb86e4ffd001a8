export interface Place {
  label: string;
  to: string;
  /** One of these permissions is required; open to everybody where undefined. */
  permissions?: readonly string[];
  /** Words that the search finds it by, besides its label. */
  keywords?: string;
}

export const isOpen = ({ permissions }: Place, may: (permission: string) => boolean): boolean =>
  !permissions || permissions.some(may);
