import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { type ApprovalState, approvalStates } from './approval.entity.js';

@ObjectType({ description: 'One of the approval steps that a call needs.' })
export class SequenceStep {
  @Field(() => ID)
  approvalId: string;

  @Field()
  stepName: string;

  @Field(() => Int)
  stepNumber: number;

  @Field(() => approvalStates)
  state: ApprovalState;

  @Field({ description: 'Whether you can open the approval of this step.' })
  isVisible: boolean;
}
