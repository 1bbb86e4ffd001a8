import { ArgsType, Field, GraphQLISODateTime, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { IsBoolean, IsDate, IsEnum, IsOptional, IsUUID } from 'class-validator';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IsText } from '../../platform/graphql/is-text.decorator.js';
import type { FileScope, FileStatus, Transport } from '../configuration-file.js';
import { EstateEntry } from './estate-entry.entity.js';
import { EstateFile } from './estate-file.entity.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateSource } from '../estate-source.entity.js';
import type { InventoryCounts } from './inventory-rows.js';
import { FileScopeEnum, FileStatusEnum, type SourceKind, SourceKindEnum, TransportEnum } from '../enums.js';

@ObjectType()
export class EstateFileConnection extends Paginated(EstateFile) {}
@ObjectType()
export class EstateServerConnection extends Paginated(EstateServer) {}
@ObjectType()
export class EstateEntryConnection extends Paginated(EstateEntry) {}
@ObjectType()
export class EstateSourceConnection extends Paginated(EstateSource) {}

@ObjectType({
  description:
    'The size of the inventory. It is a lower bound: clients may have servers outside of files, and devices that do not upload are unknown.',
})
export class EstateCounts implements InventoryCounts {
  @Field(() => Int)
  devices: number;

  @Field(() => Int)
  folders: number;

  @Field(() => Int)
  files: number;

  @Field(() => Int)
  servers: number;
}

@ArgsType()
export class EstateFilesArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Only files of this device or folder.' })
  @IsOptional()
  @IsUUID()
  sourceId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only files that declare this server.' })
  @IsOptional()
  @IsUUID()
  serverId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only files in the inventory of this integration.' })
  @IsOptional()
  @IsUUID()
  connectionId?: string | null;

  @Field(() => FileScopeEnum, { nullable: true })
  @IsOptional()
  @IsEnum(FileScopeEnum)
  scope?: FileScope | null;

  @Field(() => FileStatusEnum, { nullable: true })
  @IsOptional()
  @IsEnum(FileStatusEnum)
  status?: FileStatus | null;

  @Field(() => String, { nullable: true, description: 'Part of the path.' })
  @IsOptional()
  @IsText(200)
  search?: string | null;

  @Field({ defaultValue: false, description: 'true: files that are gone; false: current files.' })
  @IsBoolean()
  isGone: boolean;
}

@ArgsType()
export class EstateServersArgs extends PageArgs {
  @Field(() => TransportEnum, { nullable: true })
  @IsOptional()
  @IsEnum(TransportEnum)
  transport?: Transport | null;

  @Field(() => String, { nullable: true, description: 'Part of the name, the program, the package or the host.' })
  @IsOptional()
  @IsText(200)
  search?: string | null;

  @Field({ defaultValue: false, description: 'true: servers that no file declares anymore; false: declared servers.' })
  @IsBoolean()
  isGone: boolean;
}

@ArgsType()
export class EstateSourcesArgs extends PageArgs {
  @Field(() => SourceKindEnum, { nullable: true })
  @IsOptional()
  @IsEnum(SourceKindEnum)
  kind?: SourceKind | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Only sources not seen since this time.' })
  @IsOptional()
  @IsDate()
  notSeenSince?: Date | null;
}

@InputType()
export class EstateFileInput {
  @Field(() => ID)
  @IsUUID()
  fileId: string;
}

@InputType()
export class EstateSourceInput {
  @Field(() => ID)
  @IsUUID()
  sourceId: string;
}
