/** For texts that people decide by: another member can have the same name, but not the same email address. */
export const distinctNameOf = ({ name, email }: { name: string; email: string }): string => `${name} (${email})`;
