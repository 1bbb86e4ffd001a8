/** The subject of audit events about a member. */
export const memberSubject = ({ id, name }: { id: string; name: string }) => ({ type: 'member', id, name });
