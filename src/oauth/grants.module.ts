import { Module } from '@nestjs/common';
import { GrantsService } from './grants.service.js';

/** Used by both the clients module, which ends grants, and the authorization server, which creates them. */
@Module({ providers: [GrantsService], exports: [GrantsService] })
export class GrantsModule {}
