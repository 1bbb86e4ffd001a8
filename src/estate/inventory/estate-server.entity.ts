import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Transport } from '../configuration-file.js';
import { EstatePackage } from './parts.entity.js';
import { TransportEnum } from './enums.js';

@ObjectType({ description: 'An MCP server as it is deployed: the same one on a hundred laptops is one.' })
@Entity('estate_servers')
export class EstateServer {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  /** Hash of what makes it the same server: transport and program, package or address; no version, no values. */
  @Column('text')
  identity: string;

  @Field({ description: 'What the file called it in which it was seen first.' })
  @Column('text')
  name: string;

  @Field(() => TransportEnum)
  @Column('text')
  transport: Transport;

  @Field(() => String, { nullable: true, description: 'The program that is started.' })
  @Column('text', { nullable: true })
  command: string | null;

  @Field(() => EstatePackage, {
    nullable: true,
    description: 'As it was seen first; versions differ from file to file.',
  })
  @Column('jsonb', { nullable: true })
  package: EstatePackage | null;

  @Field(() => String, { nullable: true, description: 'Without credentials and query.' })
  @Column('text', { nullable: true })
  url: string | null;

  @Field(() => String, { nullable: true })
  @Column('text', { nullable: true })
  host: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  lastSeen: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when no file declares it any more.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;

  @Field(() => Int, { description: 'Files that declare it now.' })
  fileCount: number;

  @Field(() => Int, { description: 'Devices and folders with such a file.' })
  sourceCount: number;

  @Field(() => Int, { description: 'Different owners of such files.' })
  ownerCount: number;

  @Field(() => [String], { description: 'What it is called in them.' })
  names: string[];

  @Field(() => [String], { description: 'Versions of its package that they ask for; "" where a file asks for none.' })
  versionSpecs: string[];

  @Field(() => Int, { description: 'In how many different ways it is declared.' })
  definitionCount: number;
}
