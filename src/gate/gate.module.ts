import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { Admission } from './admission.service.js';
import { AllowedCalls } from './allowed-calls.service.js';
import { ApprovalCallResolver } from './approval-call.resolver.js';
import { Background } from './background.service.js';
import { CallsResolver } from './calls.resolver.js';
import { CallsService } from './calls.service.js';
import { Endings } from './endings.service.js';
import { Execution } from './execution.service.js';
import { ExhibitResolver } from './exhibit.resolver.js';
import { ExhibitSurroundings } from './exhibit-surroundings.service.js';
import { GateService } from './gate.service.js';
import { Journal } from './journal.service.js';
import { Judgement } from './judgement.service.js';
import { Offers } from './offers.service.js';
import { Movements } from './movements.service.js';
import { OwnCalls } from './own-calls.service.js';
import { Questions } from './questions.service.js';
import { Repeats } from './repeats.service.js';
import { Requesters } from './requesters.service.js';
import { Retries } from './retries.service.js';
import { Settled } from './settled.service.js';
import { Standings } from './standings.service.js';
import { Starts } from './starts.service.js';
import { Verdicts } from './verdicts.service.js';

@Module({
  imports: [AccessModule, ConnectionsModule, PoliciesModule, ApprovalsModule, ConfigurationsModule],
  providers: [
    GateService,
    CallsService,
    OwnCalls,
    Offers,
    Judgement,
    Admission,
    AllowedCalls,
    Standings,
    Retries,
    Starts,
    Endings,
    Execution,
    Questions,
    Movements,
    Repeats,
    Requesters,
    Verdicts,
    Settled,
    Background,
    Journal,
    CallsResolver,
    ApprovalCallResolver,
    ExhibitResolver,
    ExhibitSurroundings,
  ],
  exports: [GateService, CallsService, ExhibitSurroundings, OwnCalls],
})
export class GateModule {}
