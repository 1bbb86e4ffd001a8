import type { Member } from './member.tsx';

/** A dialog about one member. */
export interface StepProps {
  member: Member;
  opened: boolean;
  onClose(): void;
}
