import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Transport } from '../configuration-file.js';
import { EstatePackage } from '../parts.entity.js';
import { TransportEnum } from '../enums.js';

@ObjectType({ description: 'An MCP server. The same server on a hundred laptops counts as one.' })
@Entity('estate_servers')
export class EstateServer {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  /** Hash of the identifying parts: transport and program, package or address, without versions and values. */
  @Column('text')
  identity: string;

  @Field({ description: 'Its name in the file in which it was first seen.' })
  @Column('text')
  name: string;

  @Field(() => TransportEnum)
  @Column('text')
  transport: Transport;

  @Field(() => String, { nullable: true, description: 'The program that the client starts.' })
  @Column('text', { nullable: true })
  command: string | null;

  @Field(() => EstatePackage, {
    nullable: true,
    description: 'The package as first seen; versions can differ between files.',
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

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the last file stopped declaring it.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;

  @Field(() => Int, { description: 'The number of files that currently declare it.' })
  fileCount: number;

  @Field(() => Int, { description: 'The number of devices and folders with such a file.' })
  sourceCount: number;

  @Field(() => Int, { description: 'The number of owners of such files.' })
  ownerCount: number;

  @Field(() => [String], { description: 'Its names in these files.' })
  names: string[];

  @Field(() => [String], { description: 'The package versions that these files request; "" if a file requests none.' })
  versionSpecs: string[];

  @Field(() => Int, { description: 'The number of different definitions.' })
  definitionCount: number;
}
