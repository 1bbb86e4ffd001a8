import { Module } from '@nestjs/common';
import { GrantsService } from './grants.service.js';

/** Below both the clients, which end grants, and the authorization server, which makes them. */
@Module({ providers: [GrantsService], exports: [GrantsService] })
export class GrantsModule {}
