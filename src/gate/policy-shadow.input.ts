import { Field, ID, InputType } from '@nestjs/graphql';
import { IsString, IsUUID } from 'class-validator';

@InputType()
export class StartPolicyShadowInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'Cedar policies that could be published.' })
  @IsString()
  text: string;
}

@InputType()
export class StopPolicyShadowInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;
}
