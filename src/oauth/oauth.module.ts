import { Module } from '@nestjs/common';
import { OauthClientsModule } from './clients/clients.module.js';

/** Products that act for members who agreed to it. */
@Module({ imports: [OauthClientsModule], exports: [OauthClientsModule] })
export class OauthModule {}
