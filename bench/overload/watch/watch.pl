# Wakes each millisecond, and says when somebody had the core who has nothing to do with what is measured: until when, and for how
# long, in milliseconds of the monotonic clock. The host, when it woke late; and threads of the kernel that keep house, whose numbers
# it is given: those it cannot feel, for it goes before them, but others do.
# Not in Node, whose threads wait for each other and may not go before everybody: that has hung.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC usleep);

# Finds whatever lasts for longer, for 2 % of the core.
my $every_ms = 1;
# What is shorter is lost among what requests differ by anyway.
my $lost_ms = 0.25;

# Whoever started it may be killed without a word.
my $parent = getppid;
my $wakes = 0;

my @keepers;
for my $pid (@ARGV) {
  open(my $file, '<', "/proc/$pid/schedstat") or next;
  push @keepers, { file => $file, ran => undef };
}

# How long they have run since the last time, all together.
sub kept_ms {
  my $kept = 0;
  for my $keeper (@keepers) {
    sysseek($keeper->{file}, 0, 0);
    sysread($keeper->{file}, my $line, 64) or next;
    my ($ran) = split(' ', $line);
    $kept += $ran - $keeper->{ran} if defined $keeper->{ran};
    $keeper->{ran} = $ran;
  }
  return $kept / 1e6;
}

$| = 1;
print "watching\n";
kept_ms();
my $before = clock_gettime(CLOCK_MONOTONIC) * 1e3;
while (1) {
  usleep($every_ms * 1e3);
  my $now = clock_gettime(CLOCK_MONOTONIC) * 1e3;
  my $late = $now - $before - $every_ms;
  my $kept = kept_ms();
  printf "%.3f %.3f\n", $now, $late if $late > $lost_ms;
  printf "%.3f %.3f\n", $now, $kept if $kept > $lost_ms;
  $before = $now;
  exit if ++$wakes % 1000 == 0 && getppid != $parent;
}
