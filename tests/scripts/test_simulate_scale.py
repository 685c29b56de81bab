"""The simulation printed in docs/benchmarks.md: bounds hold, shares of memory grow."""

from scripts.simulate_scale import main, memory_of_share, up_to


def test_speed_up_stays_below_its_bound(capsys):
    assert main(["--men", "4"]) == 0
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("|") and line[2].isdigit()
    ]
    by_workers = [row for row in rows if len(row) == 5]
    assert [row[0] for row in by_workers] == ["1", "4", "16", "64"]
    speedups = [float(row[2]) for row in by_workers]
    assert speedups == sorted(speedups)
    assert all(float(row[2]) <= float(row[3]) for row in by_workers)


def test_overhead_lowers_the_speed_up(capsys):
    main(["--men", "4"])
    without = capsys.readouterr().out
    main(["--men", "4", "--overhead", "1"])
    assert capsys.readouterr().out != without


def test_all_of_the_work_needs_the_largest_build():
    graph = up_to(4, 2)
    shares = [memory_of_share(graph, share) for share in (0.1, 0.5, 1.0)]
    assert shares == sorted(shares)
    assert shares[-1] == graph.memory
