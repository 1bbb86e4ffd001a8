import { Field, ID, InputType } from '@nestjs/graphql';
import { IsHexadecimal, IsUUID } from 'class-validator';

@InputType()
export class RecordApprovalViewInput {
  @Field(() => ID, { description: 'The id of the approval.' })
  @IsUUID()
  id: string;

  @Field({ description: 'The "argumentsHash" of the call that the person has in front of them.' })
  @IsHexadecimal()
  argumentsHash: string;
}
