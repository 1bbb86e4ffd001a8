import { Args, ArgsType, Field, ID, InputType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { IsOptional, IsUUID } from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ConnectedDevicesService } from './connected-devices.service.js';
import { ConnectedDevice, ConnectedDeviceConnection } from './device.object.js';

@ArgsType()
export class DevicesArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Only devices of this member.' })
  @IsOptional()
  @IsUUID()
  memberId?: string;
}

@InputType()
export class RevokeDeviceInput {
  @Field(() => ID)
  @IsUUID()
  deviceId: string;
}

@Resolver(() => ConnectedDevice)
@Authenticate('session', 'admin-token')
@Allow('organization:manage')
export class DevicesResolver {
  constructor(private readonly connectedDevices: ConnectedDevicesService) {}

  @Allow()
  @Query(() => [ConnectedDevice], { description: 'The terminals that you connected, newest first.' })
  ownDevices(@CurrentPrincipal() principal: Principal) {
    return this.connectedDevices.listOwn(principal);
  }

  @Query(() => ConnectedDeviceConnection, { description: 'The terminals that members connected, newest first.' })
  devices(@CurrentPrincipal() principal: Principal, @Args() { memberId, ...page }: DevicesArgs) {
    return this.connectedDevices.listPage(principal, memberId, page);
  }

  @Allow()
  @Mutation(() => ID, { description: 'Disconnects one of your terminals. Its next request is refused.' })
  async revokeOwnDevice(@CurrentPrincipal() principal: Principal, @Args('input') { deviceId }: RevokeDeviceInput) {
    await this.connectedDevices.revokeOwn(principal, deviceId);
    return deviceId;
  }

  @AllowAdminToken()
  @Mutation(() => ID, { description: 'Disconnects a terminal of any member. Its next request is refused.' })
  async revokeDevice(@CurrentPrincipal() principal: Principal, @Args('input') { deviceId }: RevokeDeviceInput) {
    await this.connectedDevices.revoke(principal, deviceId);
    return deviceId;
  }
}
