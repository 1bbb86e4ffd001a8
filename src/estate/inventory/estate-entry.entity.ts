import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../../platform/graphql/json.scalar.js';
import type { JsonObject as Json } from '../../platform/json/strict-json.js';
import type { AuthKind, ServerEntry, Transport } from '../configuration-file.js';
import { EstateFile } from './estate-file.entity.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateOddity, EstatePackage, EstateSecret } from '../parts.entity.js';
import { AuthKindEnum, TransportEnum } from '../enums.js';

@ObjectType({ description: 'An MCP server as declared in a file.' })
@Entity('estate_entries')
export class EstateEntry implements ServerEntry {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  fileId: string;

  @Field(() => ID)
  @Column('uuid')
  serverId: string;

  @Field(() => EstateFile)
  file: EstateFile;

  @Field(() => EstateServer)
  server: EstateServer;

  @Field()
  @Column('text')
  name: string;

  @Field(() => Int, { description: 'The position in the file, starting at 0.' })
  @Column('int')
  position: number;

  @Field(() => JsonScalar, { description: 'The definition as written, with secrets replaced.' })
  @Column('jsonb')
  definition: Json;

  @Field({
    description: 'SHA-256 of the canonical definition; equal for equal definitions on every device.',
  })
  @Column('text')
  definitionHash: string;

  @Field(() => TransportEnum)
  @Column('text')
  transport: Transport;

  @Field(() => String, { nullable: true, description: 'The program, without its folder.' })
  @Column('text', { nullable: true })
  command: string | null;

  @Field(() => [String], { description: 'With secrets replaced.' })
  @Column('jsonb')
  args: string[];

  @Field(() => EstatePackage, { nullable: true })
  @Column('jsonb', { nullable: true })
  package: EstatePackage | null;

  @Field(() => String, { nullable: true, description: 'Without credentials and query.' })
  @Column('text', { nullable: true })
  url: string | null;

  @Field(() => String, { nullable: true })
  @Column('text', { nullable: true })
  urlScheme: string | null;

  @Field(() => String, { nullable: true, description: 'In lower case, with the port if one is written.' })
  @Column('text', { nullable: true })
  host: string | null;

  @Field(() => AuthKindEnum)
  @Column('text')
  authKind: AuthKind;

  @Field(() => [String], { description: 'The names of the environment variables that it receives.' })
  @Column('text', { array: true })
  envNames: string[];

  @Field(() => [String])
  @Column('text', { array: true })
  headerNames: string[];

  @Field(() => String, {
    nullable: true,
    description: 'The file with additional environment variables. It is never opened.',
  })
  @Column('text', { nullable: true })
  envFile: string | null;

  @Field(() => [EstateSecret])
  @Column('jsonb')
  secrets: EstateSecret[];

  @Field(() => [EstateOddity])
  @Column('jsonb')
  oddities: EstateOddity[];

  @Field({ description: 'Disabled in the file. The client may override this locally.' })
  @Column('boolean')
  isDisabled: boolean;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  lastSeen: Date;

  @Field(() => GraphQLISODateTime, { description: 'When it last changed.' })
  @Column('timestamptz')
  changedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When its file stopped declaring it.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;
}
