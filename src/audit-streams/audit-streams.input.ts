import { Field, Float, ID, InputType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsBoolean,
  IsEnum,
  IsInt,
  IsOptional,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsText } from '../platform/graphql/is-text.decorator.js';
import { type AuditStreamKind, auditStreamKinds } from './audit-stream.entity.js';

@InputType()
export class AuditStreamHeaderInput {
  @Field()
  @Matches(/^[A-Za-z0-9-]{1,100}$/, { message: 'name must be the name of a header' })
  name: string;

  @Field({ description: 'Stored encrypted.' })
  @Matches(/^[\x20-\x7e]{1,4000}$/, { message: 'value must be printable ASCII' })
  value: string;
}

@InputType()
export class CreateAuditStreamInput {
  @Field()
  @IsText(100)
  name: string;

  @Field(() => auditStreamKinds)
  @IsEnum(auditStreamKinds)
  kind: AuditStreamKind;

  @Field({
    description:
      'The complete URL for OTLP (such as https://collector.example/v1/logs) and webhooks; host:port for syslog. Stored encrypted.',
  })
  @Length(1, 2000)
  address: string;

  @Field(() => [AuditStreamHeaderInput], {
    defaultValue: [],
    description: 'For OTLP and webhooks, such as an API key.',
  })
  @ArrayMaxSize(10)
  @ValidateNested({ each: true })
  @Type(() => AuditStreamHeaderInput)
  headers: AuditStreamHeaderInput[];

  @Field(() => String, {
    nullable: true,
    description: "For syslog: the authorities that issued the server's certificate, in PEM. Default: the public ones.",
  })
  @IsOptional()
  @Length(1, 50_000)
  caCertificate?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The position of the first event. 0: from the beginning. Default: events that are sealed from now on.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  fromPosition?: number | null;
}

@InputType()
export class AuditStreamInput {
  @Field(() => ID)
  @IsUUID()
  id: string;
}

@InputType()
export class SetAuditStreamPausedInput extends AuditStreamInput {
  @Field()
  @IsBoolean()
  isPaused: boolean;
}
