import type { Member } from './member-query.ts';

/** Props of a dialog about one member. */
export interface MemberDialogProps {
  member: Member;
  opened: boolean;
  onClose(): void;
}
